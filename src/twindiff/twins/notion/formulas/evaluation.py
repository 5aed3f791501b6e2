"""Evaluates the trees of formulas, and tells the kind of their results."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from ..core.body_rules import is_list
from .date_functions import FUNCTIONS as DATE_FUNCTIONS
from .formula_values import DateValue, PageValue, Value, as_list, format_value, is_empty_value, order_key
from .functions import FUNCTIONS as PLAIN_FUNCTIONS
from .functions import MAX_LIST_LENGTH
from .syntax import Application, Constant, FormulaError, PropertyReference, Tree, Variable

FUNCTIONS = {**PLAIN_FUNCTIONS, **DATE_FUNCTIONS}
MAX_STEPS = 50_000
_OVER_ITEMS = ("map", "filter", "find", "findIndex", "some", "every", "sort", "count")
_LAZY = ("if", "ifs", "and", "or", "let", "lets", "now", "today", "id", "prop", *_OVER_ITEMS)
_BOOLEANS = (
    "not", "equal", "unequal", ">", "<", ">=", "<=", "and", "or", "empty", "contains", "test", "includes", "some",
    "every",
)  # fmt: skip
_DATES = (
    "now",
    "today",
    "dateAdd",
    "dateSubtract",
    "dateRange",
    "dateStart",
    "dateEnd",
    "start",
    "end",
    "fromTimestamp",
    "parseDate",
)
_NUMBERS = (
    "subtract", "multiply", "divide", "mod", "pow", "unaryMinus", "unaryPlus", "length", "toNumber", "min", "max",
    "sum", "median", "mean", "abs", "round", "ceil", "floor", "sqrt", "cbrt", "exp", "ln", "log10", "log2", "sign",
    "pi", "e", "minute", "hour", "day", "date", "week", "month", "year", "dateBetween", "timestamp", "findIndex",
    "count",
)  # fmt: skip
KINDS = {**dict.fromkeys(_BOOLEANS, "boolean"), **dict.fromkeys(_DATES, "date"), **dict.fromkeys(_NUMBERS, "number")}


def check_formula(tree: Tree, is_property: Callable[[str], bool], names: frozenset[str] = frozenset()) -> None:
    """Raise FormulaError for functions, properties and names that do not exist, and for wrong numbers of arguments."""
    if isinstance(tree, PropertyReference) and not is_property(tree.key):
        raise FormulaError(f"There is no property {tree.key}")
    if isinstance(tree, Variable) and tree.name not in names:
        raise FormulaError(f"Undefined variable {tree.name}")
    if not isinstance(tree, Application):
        return
    if tree.name not in _LAZY and tree.name not in FUNCTIONS:
        raise FormulaError(f"There is no function {tree.name}")
    if tree.name in FUNCTIONS:
        _find_function(tree)
    for each in tree.arguments:
        check_formula(each, is_property, names | _names_defined(tree))


def _find_function(tree: Application) -> Callable[..., Value]:
    """Return the function of a tree; raise FormulaError for a wrong number of arguments."""
    function, least, most = FUNCTIONS[tree.name]
    if len(tree.arguments) < least or (most is not None and len(tree.arguments) > most):
        raise FormulaError(f"Wrong number of arguments in function {tree.name}")
    return function


def _names_defined(tree: Application) -> frozenset[str]:
    """Return the variables that a function defines for its arguments."""
    if tree.name in _OVER_ITEMS:
        return frozenset(("current", "index"))
    if tree.name not in ("let", "lets"):
        return frozenset()
    defined = [each.name for each in tree.arguments[:-1:2] if isinstance(each, Variable)]
    if len(tree.arguments) % 2 == 0 or len(defined) != len(tree.arguments) // 2:
        raise FormulaError(f"Wrong number of arguments in function {tree.name}")
    return frozenset(defined)


class Evaluator:
    """Evaluates formulas of one page. `read` returns the value of a property by its id or name."""

    def __init__(self, page_id: str, read: Callable[[str], Value], now: datetime) -> None:
        self._page_id = page_id
        self._read = read
        self._now = now
        self._steps = 0

    def evaluate(self, tree: Tree, scope: dict[str, Value] | None = None) -> Value:
        """Return the value of a tree; raise FormulaError."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise FormulaError("The formula takes too long")
        scope = scope or {}
        if isinstance(tree, Constant):
            return tree.value
        if isinstance(tree, PropertyReference):
            return self._read(tree.key)
        if isinstance(tree, Variable):
            if tree.name not in scope:
                raise FormulaError(f"Undefined variable {tree.name}")
            return scope[tree.name]
        if tree.name in _LAZY:
            return self._apply_lazily(tree.name, tree.arguments, scope)
        if tree.name not in FUNCTIONS:
            raise FormulaError(f"There is no function {tree.name}")
        result = _find_function(tree)(*(self.evaluate(each, scope) for each in tree.arguments))
        if is_list(result) and len(result) > MAX_LIST_LENGTH:
            raise FormulaError("The list is too long")
        return result

    def _apply_lazily(self, name: str, arguments: tuple[Tree, ...], scope: dict[str, Value]) -> Value:
        if name in ("now", "today"):
            at = self._now.replace(second=0, microsecond=0)
            return DateValue(at, None, True) if name == "now" else DateValue(at.replace(hour=0, minute=0))
        if name == "id":
            page = self.evaluate(arguments[0], scope) if arguments else None
            return page.id if isinstance(page, PageValue) else self._page_id
        if name in ("and", "or"):
            hits = (not is_empty_value(self.evaluate(each, scope)) for each in arguments)
            return all(hits) if name == "and" else any(hits)
        if name in ("if", "ifs"):
            return self._choose(arguments, scope)
        if name in ("let", "lets"):
            return self._define(arguments, scope)
        if not arguments:
            raise FormulaError(f"Wrong number of arguments in function {name}")
        if name == "prop":
            return self._read_of(self.evaluate(arguments[0], scope), format_value(self.evaluate(arguments[1], scope)))
        return self._apply_to_items(name, as_list(self.evaluate(arguments[0], scope)), arguments[1:], scope)

    def _choose(self, arguments: tuple[Tree, ...], scope: dict[str, Value]) -> Value:
        for test, value in zip(arguments[:-1:2], arguments[1::2], strict=False):
            if not is_empty_value(self.evaluate(test, scope)):
                return self.evaluate(value, scope)
        return self.evaluate(arguments[-1], scope) if len(arguments) % 2 else None

    def _define(self, arguments: tuple[Tree, ...], scope: dict[str, Value]) -> Value:
        for name, value in zip(arguments[:-1:2], arguments[1::2], strict=False):
            if not isinstance(name, Variable):
                raise FormulaError("A variable is defined by its name")
            scope = {**scope, name.name: self.evaluate(value, scope)}
        return self.evaluate(arguments[-1], scope)

    def _read_of(self, value: Value, key: str) -> Value:
        if is_list(value):
            return [self._read_of(each, key) for each in value]
        return value.read(key) if isinstance(value, PageValue) else None

    def _apply_to_items(self, name: str, items: list[Value], tests: tuple[Tree, ...], scope: dict[str, Value]) -> Value:
        if not tests:
            if name == "count":
                return len(items)
            if name == "sort":
                return sorted(items, key=order_key)
            raise FormulaError(f"Wrong number of arguments in function {name}")
        results = [self.evaluate(tests[0], {**scope, "current": item, "index": at}) for at, item in enumerate(items)]
        if name == "map":
            return results
        if name == "sort":
            order = sorted(range(len(items)), key=lambda at: order_key(results[at]))
            return [items[at] for at in order]
        hits = [at for at, result in enumerate(results) if not is_empty_value(result)]
        outcomes: dict[str, Callable[[], Any]] = {
            "filter": lambda: [items[at] for at in hits],
            "find": lambda: items[hits[0]] if hits else None,
            "findIndex": lambda: hits[0] if hits else -1,
            "some": lambda: bool(hits),
            "every": lambda: len(hits) == len(items),
            "count": lambda: len(hits),
        }
        return outcomes[name]()


def kind_of(tree: Tree, kind_of_property: Callable[[str], str]) -> str:
    """Return the kind that a formula's result has even if it is empty: string, number, boolean or date."""
    if isinstance(tree, Constant):
        return "boolean" if isinstance(tree.value, bool) else "string" if isinstance(tree.value, str) else "number"
    if isinstance(tree, PropertyReference):
        return kind_of_property(tree.key)
    if isinstance(tree, Application):
        if tree.name in KINDS:
            return KINDS[tree.name]
        if tree.name == "add":
            kinds = {kind_of(each, kind_of_property) for each in tree.arguments}
            return "number" if kinds == {"number"} else "string"
        if tree.name in ("if", "ifs") and len(tree.arguments) > 1:
            return kind_of(tree.arguments[1], kind_of_property)
        if tree.name in ("let", "lets"):
            return kind_of(tree.arguments[len(tree.arguments) - 1], kind_of_property) if tree.arguments else "string"
    return "string"
