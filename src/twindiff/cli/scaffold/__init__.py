"""Generates the package of a new twin, empty or from a description of its vendor's API."""
