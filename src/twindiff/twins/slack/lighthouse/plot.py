"""The plot at Lighthouse from January to March 2026, as messages in the channels where it happens.

Beacon 4.0 is promised for 17 March and ships a week late. Stale tide tables go out on 11 February, and one of four
promises made afterwards is never kept. Aveiro renews for less than was asked. The Lisbon office moves, on another day
than first announced. A vote chooses the place of the summer meeting. A tester finds security holes and leaves. Durban
waits for an answer.
"""

from __future__ import annotations

from .plot_house import HOUSE
from .plot_messages import PlotMessage
from .plot_product import PRODUCT

PLOT: tuple[PlotMessage, ...] = (*PRODUCT, *HOUSE)
