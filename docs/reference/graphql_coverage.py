"""What a GraphQL twin serves, declares and lacks, as tables for its page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from twindiff.kit.graphql import GraphqlTwin

OTHERS = "other"


def tables(twin: GraphqlTwin, unread: Mapping[str, str]) -> dict[str, Iterator[str]]:
    """The tables by the names of their marks; `unread` are fields of inputs that no answer shows, with the reason."""
    return {
        "coverage": _coverage(twin),
        "declared": _declared(twin),
        "missing": _missing(twin),
        "refused": _refused(twin),
        "unread": _unread(unread),
    }


def _roots(twin: GraphqlTwin) -> list[tuple[str, str]]:
    """Kind and name of each root that is served."""
    names = [operation.name.partition(" ") for operation in twin.dispatch.operations]
    return [(kind, name) for kind, _, name in names]


def _about(name: str, entities: list[str]) -> str:
    """The entity that a root is about, by the longest name that it begins with; lists have the name in the plural."""
    named = [each for each in entities if name.casefold().startswith(each.casefold().rstrip("y"))]
    return max(named, key=len, default=OTHERS)


def _coverage(twin: GraphqlTwin) -> Iterator[str]:
    roots, entities = _roots(twin), [*twin.model.entities]
    by_entity: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for kind, name in roots:
        by_entity[_about(name, entities)][kind].append(name)
    counts = {kind: sum(each == kind for each, _ in roots) for kind in ("query", "mutation")}
    yield f"{counts['query']} queries and {counts['mutation']} mutations are served.\n"
    yield "| about | queries | mutations |\n|---|---|---|"
    for entity in sorted(by_entity, key=lambda each: (each == OTHERS, each)):
        cells = [" ".join(f"`{name}`" for name in sorted(by_entity[entity][kind])) for kind in counts]
        yield f"| {entity} | {' | '.join(cells)} |"


def _declared(twin: GraphqlTwin) -> Iterator[str]:
    rims = sorted(name for name, spec in twin.model.entities.items() if spec.row is None)
    yield f"{len(rims)} types: {', '.join(f'`{name}`' for name in rims)}."


def _missing(twin: GraphqlTwin) -> Iterator[str]:
    missing: Any = sorted(twin.api.missing)
    yield f"{len(missing)} root fields: {', '.join(f'`{name}`' for name in missing)}."


def _refused(twin: GraphqlTwin) -> Iterator[str]:
    yield "| field | of | why |\n|---|---|---|"
    by_reason: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (entity, name), why in twin.model.refused.items():
        by_reason[name, why].append(entity)
    for (name, why), entities in sorted(by_reason.items()):
        yield f"| `{name}` | {', '.join(sorted(entities))} | {why.rstrip('.')} |"


def _unread(unread: Mapping[str, str]) -> Iterator[str]:
    yield "| field | why |\n|---|---|"
    yield from (f"| `{path}` | {why} |" for path, why in unread.items())
