"""The tables of the twin."""
