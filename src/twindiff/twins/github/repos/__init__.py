"""Repositories, contents, branches and commits of the GitHub twin."""
