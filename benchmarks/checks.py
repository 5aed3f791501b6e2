"""What judging costs: how the time of `evaluate` grows with the diff, the assertions and the regexes.

Run it with `python benchmarks/checks.py`. Every figure is the best of several runs, in milliseconds.
"""

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

from twindiff.checks import evaluate, parse

COLUMNS = 30
RUNS = 7


def note(number: int) -> dict[str, Any]:
    row = {f"column_{position}": position for position in range(COLUMNS)}
    return {**row, "id": number, "text": f"note {number} of the day", "meta": {"author": {"name": f"U{number}"}}}


def diff_of(changes: int) -> dict[str, Any]:
    """Half of the changes are added rows, half are changed ones."""
    rows = [note(number) for number in range(changes // 2)]
    updates = [{"__table__": "notes", "before": row, "after": {**row, "text": f"{row['text']}!"}} for row in rows]
    return {"inserts": [{"__table__": "notes", **row} for row in rows], "updates": updates, "deletes": []}


def spec_of(assertions: int, predicate: Any, *, holds: bool) -> dict[str, Any]:
    """Every other assertion is about changed rows; those that do not hold also cost their explanation."""
    added = {
        "diff_type": "added",
        "entity": "notes",
        "where": {"text": predicate, "meta.author.name": {"exists": True}},
    }
    changed = {"diff_type": "changed", "entity": "notes", "where": {"id": 7}, "expected_changes": {"text": {}}}
    counted = {**added, "expected_count": {"min": 0}} if holds else added
    return {"assertions": [changed if number % 2 else counted for number in range(assertions)]}


def milliseconds(work: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(RUNS):
        started = perf_counter()
        work()
        times.append(perf_counter() - started)
    return min(times) * 1000


def main() -> None:
    absent = {"contains": "absent"}
    cases = [
        (changes, assertions, name, predicate, holds)
        for changes, assertions in ((10, 5), (100, 20), (1000, 20), (2000, 20), (1000, 40))
        for name, predicate, holds in (("contains, holds", absent, True), ("contains, explained", absent, False))
    ]
    cases.append((1000, 20, "plain regex", {"regex": r"(?i)DAY$"}, True))
    cases.append((1000, 20, "regex in its own process", {"regex": r"^(\w+ )+day$"}, True))
    print(f"{'changes':>8} {'assertions':>10} {'ms':>9}  what")
    for changes, assertions, name, predicate, holds in cases:
        spec, diff = parse(spec_of(assertions, predicate, holds=holds)), diff_of(changes)
        print(f"{changes:>8} {assertions:>10} {milliseconds(partial(evaluate, spec, diff)):>9.2f}  {name}")


if __name__ == "__main__":
    main()
