"""Sandbox runs: an application from a repository, started on this machine together with the twins that it uses."""
