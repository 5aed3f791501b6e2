"""Diffs: what an interval of the journal changed, in the form that clients receive."""

from .diff import Include as Include
from .diff import Rows as Rows
from .diff import diff as diff
