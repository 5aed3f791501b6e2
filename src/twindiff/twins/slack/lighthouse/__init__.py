"""A workspace of 44 people over three months, generated from a seed number: the same rows on every machine.

plot.py has the plot word for word; chatter.py generates the everyday messages from talk.toml with seeded random
numbers.
"""

from __future__ import annotations

from .workspace import write as write
