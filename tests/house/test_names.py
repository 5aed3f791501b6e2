"""Names that a stranger can search for: verb phrases, specific nouns, bounds with standard words."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "twindiff"
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


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {each.id for each in function.decorator_list if isinstance(each, ast.Name)}
    return not names.isdisjoint({"property", "cached_property"})


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def constants(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text()).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        yield from (each.id for each in targets if isinstance(each, ast.Name))


def test_a_function_is_a_verb_phrase_and_no_bare_participle():
    bare = {
        f"{path.name} {function.name}"
        for path in FILES
        for function in functions(path)
        if is_participle(function.name) and not is_property(function)
    }
    assert bare == PARTICIPLES_ALLOWED.keys()


def test_a_bound_is_a_maximum_or_a_minimum():
    coined = re.compile(r"_?(MOST|LONGEST|LEAST|FARTHEST|CROWD|LARGEST|SHORTEST|FEWEST)(_|$)")
    assert [(path.name, name) for path in FILES for name in constants(path) if coined.match(name)] == []


def test_a_class_name_stands_in_two_modules_at_most():
    modules = defaultdict[str, set[Path]](set)
    for path in FILES:
        if "twins" in path.relative_to(SOURCE).parts:
            continue  # rows and objects have their vendor's names
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                modules[node.name].add(path)
    repeated = {name for name, paths in modules.items() if len(paths) > MAX_MODULES_PER_CLASS_NAME}
    assert repeated == set()


def test_a_folder_holds_no_more_modules_than_one_can_overlook():
    sizes = Counter(path.parent for path in FILES)
    assert {str(folder): size for folder, size in sizes.items() if size > MAX_MODULES_PER_FOLDER} == {}


def names_given(path: Path) -> Iterator[tuple[str, int]]:
    """Names of parameters and variables, each with its line."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.MatchAs(name=str(name)):
                yield name, node.lineno
            case _:
                pass


def test_what_was_found_is_named_after_what_it_is():
    having = [path for path in FILES if re.search(r"\bfound\b", path.read_text())]
    places = [
        f"{path.relative_to(ROOT)}:{line}" for path in having for name, line in names_given(path) if name == "found"
    ]
    advice = "`found` does not say what was found: name it (`file`, `members`, `matches`), or return it at once"
    assert places == [], advice
