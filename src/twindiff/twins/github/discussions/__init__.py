"""Discussions of the GitHub twin."""
