"""Sandbox runs: an application of a repository, started on this machine beside the twins that it is to speak to."""
