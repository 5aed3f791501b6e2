"""`python -m twindiff.cli` runs `twindiff`."""

from twindiff.cli import main

main()
