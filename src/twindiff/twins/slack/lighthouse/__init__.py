"""A workspace of 44 people over three months, written from a seed number: the same rows on every machine.

The plot is told word for word in plot.py; the everyday talk around it is put together from talk.toml by dice.
"""

from __future__ import annotations

from .workspace import write as write
