"""Change code that decides over rows in small ways, one at a time, and say which changes no test notices.

    python scripts/mutants.py [--sample 120] [--seed 1] [PATTERN ...]

Tries all mutants of `[tool.mutmut]` in pyproject.toml, or a sample of so many for each package, drawn by the seed among
those that some chosen test reaches. Patterns, such as `twindiff.checks.*`, narrow that down. The engine for PostgreSQL
is reached while the server of `make postgres` runs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from fnmatch import fnmatch
from pathlib import Path

MUTMUT = str(Path(sys.executable).with_name("mutmut"))
STATS = Path("mutants/mutmut-stats.json")
CLUSTER = Path(".tools/postgres.json")
NOTICED = ("killed", "timeout", "caught by type check", "segfault")
PART = 60
"""Mutants that are handed over at once; what ends early has tried all parts before."""


def main() -> int:
    """Try them and print the shares; gives 1 when less than nine in ten are noticed somewhere."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("patterns", nargs="*", default=["*"])
    options = parser.parse_args()
    # Mutants are made on the way to trying some: asked for one that there is not, mutmut makes all and stops.
    _mutmut("run", "--max-children", "1", "none")
    reached, unreached = _reached(options.patterns)
    chosen = [name for names in reached.values() for name in _drawn(names, options.sample, options.seed)]
    for at in range(0, len(chosen), PART):
        _mutmut("run", "--max-children", "1", *chosen[at : at + PART])
    return _report(chosen, reached, unreached)


def _mutmut(*arguments: str) -> str:
    environment = {**os.environ, "CI": "1"}
    if CLUSTER.exists():  # tests look for it beside themselves, and mutmut runs a copy of them
        environment.setdefault("TWINDIFF_POSTGRES_DSN", json.loads(CLUSTER.read_text())["dsn"])
    return subprocess.run([MUTMUT, *arguments], capture_output=True, text=True, check=False, env=environment).stdout


def _reached(patterns: list[str]) -> tuple[dict[str, list[str]], Counter[str]]:
    """The mutants that some test reaches, by package, and how many none does."""
    tests: dict[str, list[str]] = json.loads(STATS.read_text())["tests_by_mangled_function_name"]
    reached: dict[str, list[str]] = defaultdict(list)
    unreached: Counter[str] = Counter()
    for name in _statuses():
        if any(fnmatch(name, pattern) for pattern in patterns):
            if tests.get(name.rpartition("__mutmut_")[0]):
                reached[_package(name)].append(name)
            else:
                unreached[_package(name)] += 1
    if not reached:
        raise SystemExit("mutmut has made no mutants that a test reaches; `mutmut run` says why")
    return reached, unreached


def _statuses() -> dict[str, str]:
    """What came of each mutant."""
    return dict(re.findall(r"^\s+(\S+): (.+)$", _mutmut("results", "--all", "true"), re.MULTILINE))


def _package(name: str) -> str:
    """The package whose sample a mutant belongs to: `twindiff.checks`, `twindiff.storage.sqlite`."""
    module = name.rpartition(".")[0]
    return module if Path("src", *module.split(".")).is_dir() else module.rpartition(".")[0]


def _drawn(names: list[str], sample: int, seed: int) -> list[str]:
    ordered = sorted(names)
    return random.Random(seed).sample(ordered, sample) if 0 < sample < len(ordered) else ordered


def _report(chosen: list[str], reached: dict[str, list[str]], unreached: Counter[str]) -> int:
    statuses = _statuses()
    tried = {name: statuses[name] for name in chosen if statuses.get(name, "not checked") != "not checked"}
    worst = 1.0
    for package in sorted(reached):
        mine = {name: status for name, status in tried.items() if _package(name) == package}
        noticed = sum(status in NOTICED for status in mine.values())
        worst = min(worst, noticed / len(mine) if mine else 1.0)
        print(f"{package}: {noticed} of {len(mine)} noticed; {len(reached[package])} reached, {unreached[package]} not")
        for name, status in mine.items():
            if status not in NOTICED:
                print(f"    {name}: {status}")
    return int(worst < 0.9)


if __name__ == "__main__":
    sys.exit(main())
