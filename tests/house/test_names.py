"""Names that a stranger can search for: verb phrases, specific nouns, bounds with standard words."""

import re
from collections import Counter, defaultdict
from pathlib import Path

from tests.house.sources import ROOT, SOURCE, declarations_of

FILES = [path for path in sorted(SOURCE.rglob("*.py")) if "tests" not in path.relative_to(SOURCE).parts]
IRREGULAR = re.compile(
    "told|made|given|shown|kept|found|drawn|taken|met|sent|said|known|done|gone|brought|worn|written|begun|lost|held|left"
    "|built|bought|caught|chosen|felt|fed|got|heard|hidden|laid|led|lent|paid|seen|sold|spent|stood|taught|thought|torn"
    "|understood|won|asked"
)
NO_PARTICIPLES = {"embed", "feed", "need", "seed", "speed", "exceed", "proceed", "shred"}
PARTICIPLES_ALLOWED: dict[str, str] = {
    "trial_store.py done": "as `Future.done` of the standard library",
    "verifiers.py passed": "the framework shows a reward under its function's name",
}
"""Functions that are a bare participle all the same, each with the reason."""
MAX_MODULES_PER_CLASS_NAME = 2
MAX_MODULES_PER_FOLDER = 45


def is_participle(name: str) -> bool:
    words = name.strip("_").split("_")
    word = words[0]
    is_regular = len(word) > 3 and word.endswith("ed") and word not in NO_PARTICIPLES
    return len(words) == 1 and (bool(IRREGULAR.fullmatch(word)) or is_regular)


def test_a_function_is_a_verb_phrase_and_no_bare_participle():
    bare = {
        f"{path.name} {function.name}"
        for path in FILES
        for function in declarations_of(path).functions
        if is_participle(function.name) and not function.is_property
    }
    assert bare == PARTICIPLES_ALLOWED.keys()


def test_a_bound_is_a_maximum_or_a_minimum():
    coined = re.compile(r"_?(MOST|LONGEST|LEAST|FARTHEST|CROWD|LARGEST|SHORTEST|FEWEST)(_|$)")
    declared = [(path.name, name) for path in FILES for name in declarations_of(path).constants]
    assert [(file, name) for file, name in declared if coined.match(name)] == []


def test_a_class_name_stands_in_two_modules_at_most():
    modules = defaultdict[str, set[Path]](set)
    for path in FILES:
        if "twins" in path.relative_to(SOURCE).parts:
            continue  # rows and objects have their vendor's names
        for name in declarations_of(path).classes:
            modules[name].add(path)
    repeated = {name for name, paths in modules.items() if len(paths) > MAX_MODULES_PER_CLASS_NAME}
    assert repeated == set()


def test_a_folder_holds_no_more_modules_than_one_can_overlook():
    sizes = Counter(path.parent for path in FILES)
    assert {str(folder): size for folder, size in sizes.items() if size > MAX_MODULES_PER_FOLDER} == {}


def test_what_was_found_is_named_after_what_it_is():
    places = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in FILES
        for name, line in declarations_of(path).names
        if name == "found"
    ]
    advice = "`found` does not say what was found: name it (`file`, `members`, `matches`), or return it at once"
    assert places == [], advice
