"""What happened at Lighthouse from January to March 2026, told where it was told.

Beacon 4.0 was promised for 17 March and came a week later; stale tide tables went out on 11 February, and one of four
promises after it was never kept; Aveiro renewed for less than was asked; the Lisbon office moved, on another day than
first said; the summer meeting was chosen by vote; a tester found holes and left; Durban waits for an answer.
"""

from __future__ import annotations

from .plot_house import HOUSE
from .plot_messages import PlotMessage
from .plot_product import PRODUCT

PLOT: tuple[PlotMessage, ...] = (*PRODUCT, *HOUSE)
