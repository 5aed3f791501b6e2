"""Gists of the GitHub twin."""
