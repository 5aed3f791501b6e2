"""The parsed form of a prompt: groups of records, by sentence."""

from __future__ import annotations

from dataclasses import dataclass, field

from twindiff.server.apis.twin_runs.world_prompt_details import Meetings, Price

OF = {
    "slack": ("channels", "messages"),
    "linear": ("teams", "projects", "issues"),
    "stripe": ("customers", "products", "subscriptions"),
    "box": ("folders", "files"),
    "calendar": ("meetings",),
}
"""The kinds of records that only one twin has."""
TWIN_OF = {kind: twin for twin, kinds in OF.items() for kind in kinds}
CONTAINERS = {
    "messages": ("channels",),
    "issues": ("projects", "teams"),
    "projects": ("teams",),
    "files": ("folders",),
    "subscriptions": ("customers",),
    "users": ("channels", "teams"),
}
"""The kinds of containers that records of a kind belong to."""


GATHERINGS = ("channels", "teams", "meetings", "folders")
"""The kinds of records that have people; a folder is shared with them."""


@dataclass(eq=False)
class PromptGroup:
    """Records of one kind that a phrase of a prompt asks for.
    `count` is None if not given; `is_exact` distinguishes "three channels" from "a channel". `within` is their
    container.
    """

    kind: str
    count: int | None = None
    is_exact: bool = False
    names: list[str] = field(default_factory=list[str])
    people: list[str] = field(default_factory=list[str])
    """The members of a channel or team, the guests of a meeting, or who wrote messages or has issues."""
    topic: str = ""
    within: PromptGroup | None = None
    is_each: bool = False
    part_of: PromptGroup | None = None
    """The group that this one is a part of."""
    prices: list[Price] = field(default_factory=list[Price])
    status: str | None = None
    priority: int | None = None
    product: PromptGroup | None = None
    is_private: bool = False
    """Whether channels are private."""
    when: Meetings = field(default_factory=Meetings)
    twin: str | None = None
    noun: str = ""
    """The noun in the prompt, such as `bugs`; empty for records that are named only."""

    @property
    def is_described(self) -> bool:
        """Whether the prompt says more of the records than their number and one container."""
        when = any(vars(self.when).values())
        said = (self.names, self.people, self.topic, self.prices, self.status, self.product, self.is_each, when)
        return self.priority is not None or any(said)

    @property
    def wanted(self) -> int | None:
        """The minimum number of records, or None."""
        return max(self.count or 0, len(self.names)) if self.count is not None or self.names else None


@dataclass(eq=False)
class Sentence:
    """One sentence: the groups it asks for, and the words that no rule matched."""

    text: str
    groups: list[PromptGroup] = field(default_factory=list[PromptGroup])
    twins: list[str] = field(default_factory=list[str])
    unread: list[str] = field(default_factory=list[str])
    is_seed: bool = False
