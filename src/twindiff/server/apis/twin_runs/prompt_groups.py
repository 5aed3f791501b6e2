"""What a prompt asks for, as it was read: groups of records, sentence by sentence."""

from __future__ import annotations

from dataclasses import dataclass, field

from twindiff.server.apis.twin_runs.prompt_details import Meetings, Price

OF = {
    "slack": ("channels", "messages"),
    "linear": ("teams", "projects", "issues"),
    "stripe": ("customers", "products", "subscriptions"),
    "box": ("folders", "files"),
    "calendar": ("meetings",),
}
"""What belongs to each twin alone."""
TWIN_OF = {kind: twin for twin, kinds in OF.items() for kind in kinds}
CONTAINERS = {
    "messages": ("channels",),
    "issues": ("projects", "teams"),
    "projects": ("teams",),
    "files": ("folders",),
    "subscriptions": ("customers",),
}
"""What records are in, or belong to, by kind."""


@dataclass(eq=False)
class PromptGroup:
    """Records of one kind that a prompt speaks of together.

    `count` is None where it says none; `is_exact` tells three channels from a channel. `within` is what they are in.
    """

    kind: str
    count: int | None = None
    is_exact: bool = False
    names: list[str] = field(default_factory=list[str])
    topic: str = ""
    within: PromptGroup | None = None
    is_each: bool = False
    part_of: PromptGroup | None = None
    """The group of which these are some."""
    prices: list[Price] = field(default_factory=list[Price])
    status: str | None = None
    priority: int | None = None
    product: PromptGroup | None = None
    when: Meetings = field(default_factory=Meetings)
    twin: str | None = None

    @property
    def wanted(self) -> int | None:
        """How many there are at least."""
        return max(self.count or 0, len(self.names)) if self.count is not None or self.names else None


@dataclass(eq=False)
class Sentence:
    """One sentence: what it asks for, and the words of it that no rule takes."""

    text: str
    groups: list[PromptGroup] = field(default_factory=list[PromptGroup])
    twins: list[str] = field(default_factory=list[str])
    unread: list[str] = field(default_factory=list[str])
    is_seed: bool = False
