"""`python -m twindiff.cli` is `twindiff`."""

from twindiff.cli import main

main()
