"""Stateful twins of SaaS APIs: isolated environments, exact diffs, checks that turn a diff into a verdict."""

__version__ = "0.1.0"
