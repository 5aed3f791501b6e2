"""Reporting and Sigma: reports of the account as files, and runs of scheduled queries."""
