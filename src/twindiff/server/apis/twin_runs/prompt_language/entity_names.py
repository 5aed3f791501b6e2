"""Names and texts of records to which a prompt gives none."""

from __future__ import annotations

from collections.abc import Sequence

from twindiff.server.apis.twin_runs.world_prompt_choices import (
    LAST,
    PLANS,
    SAID,
    TITLES,
    TOPICS,
    TRADES,
    PromptChoices,
)

from .kinds import WorldEntity

REPLIES = ("Thanks, I will have a look.", "On it.", "Done on my side.", "Can you share more details?", "Agreed.")
EMOJI = (":+1:", ":eyes:", ":tada:", ":heart:", ":rocket:")


class EntityNames:
    """Names that depend on the prompt alone, and that no other record of the kind has."""

    def __init__(self, choice: PromptChoices) -> None:
        self._choice = choice

    def make(self, entity: WorldEntity, entities: Sequence[WorldEntity]) -> str:
        """A name for a record."""
        kind = entity.kind
        known = {each.name.casefold() for each in entities if each.kind == kind}
        number = sum(each.kind == kind for each in entities)
        name = self._plain(entity, number)
        if kind.partition(".")[2] in ("message", "reply", "comment", "reaction"):
            return name
        turn = 2
        fresh = name
        while fresh.casefold() in known:
            stem, dot, end = name.rpartition(".") if kind.endswith(".file") else (name, "", "")
            fresh = (
                f"{stem}-{turn}{dot}{end}"
                if dot
                else f"{name} {turn}"
                if " " in name or name[:1].isupper()
                else f"{name}-{turn}"
            )
            turn += 1
        return fresh

    def _plain(self, entity: WorldEntity, number: int) -> str:
        kind = entity.kind.partition(".")[2]
        topic = entity.fields.get("about") or self._choice.of(TOPICS, kind, number)
        if kind in ("channel", "label", "calendar"):
            return topic if kind != "calendar" else topic.title()
        if kind in ("message", "comment", "reply", "issue", "pull", "page", "row"):
            return self._text(kind, topic, number)
        if kind == "customer":
            turn = self._choice.number("trade") + number
            return f"{LAST[turn % len(LAST)]} {TRADES[turn % len(TRADES)]}"
        if kind == "team":
            return f"Team {chr(64 + number % 26)}" if number else "Team A"
        if kind == "folder":
            return TOPICS[max(number - 1, 0) % len(TOPICS)].title()
        forms = {
            "product": PLANS[number % len(PLANS)],
            "file": f"{topic.split()[-1].lower()}.txt",
            "repository": f"acme/{topic}",
            "reaction": EMOJI[number % len(EMOJI)],
            "event": f"{topic.capitalize()} meeting",
            "org": "acme",
        }
        return forms.get(kind) or topic.title()

    def _text(self, kind: str, topic: str, number: int) -> str:
        if kind in ("reply", "comment"):
            return self._choice.of(REPLIES, kind, number)
        forms = SAID if kind == "message" else TITLES
        first, _, rest = topic.partition(" ")
        spoken = f"the {rest}" if first.lower() in ("a", "an", "the") and rest else topic
        text = self._choice.of(forms, kind, topic, number).format(topic=spoken)
        return f"{text[:1].upper()}{text[1:]}"
