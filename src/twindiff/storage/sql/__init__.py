"""SQL generation common to all databases; the differences are in the `dialect` module of each engine."""
