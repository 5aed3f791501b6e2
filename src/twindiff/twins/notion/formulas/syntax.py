"""The grammar of formulas: texts to trees.

https://www.notion.com/help/formula-syntax
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote

MAX_DEPTH = 80
MAX_LENGTH = 20_000


class FormulaError(Exception):
    """The formula is not valid, or has no value."""


class Constant(NamedTuple):
    """A number, a text or a truth value."""

    value: Any


class PropertyReference(NamedTuple):
    """A property of the page, by its id or its name."""

    key: str


class Variable(NamedTuple):
    """A name that `let`, `lets`, `map` and the like define."""

    name: str


class Application(NamedTuple):
    """A function or an operator with its arguments.

    `written` is the sign of an operator, `.` for a function that follows its first argument, or empty.
    """

    name: str
    arguments: tuple[Tree, ...]
    written: str = ""


Tree = Constant | PropertyReference | Variable | Application

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<comment>/\*.*?\*/)
  | (?P<reference>\{\{notion:block_property:([^:}]+)[^}]*\}\})
  | (?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)
  | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<name>[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)
  | (?P<operator>==|!=|>=|<=|&&|\|\||[-+*/%^<>!?:,.()\[\]])
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_BINARY = {
    "or": (1, "or"), "||": (1, "or"), "and": (2, "and"), "&&": (2, "and"),
    "==": (3, "equal"), "!=": (3, "unequal"),
    ">": (4, ">"), "<": (4, "<"), ">=": (4, ">="), "<=": (4, "<="),
    "+": (5, "add"), "-": (5, "subtract"), "*": (6, "multiply"), "/": (6, "divide"), "%": (6, "mod"), "^": (8, "pow"),
}  # fmt: skip
_UNARY_POWER = 7
CONSTANTS = {"true": True, "false": False}


@lru_cache(maxsize=1000)
def parse_formula(text: str) -> Tree:
    """Return the tree of a formula; raise FormulaError."""
    if len(text) > MAX_LENGTH:
        raise FormulaError(f"The formula is longer than {MAX_LENGTH} characters")
    parser = _Parser(_read_tokens(text))
    tree = parser.read_expression(0)
    if parser.token[0]:
        raise FormulaError(f"Unexpected {parser.token[1]}")
    return tree


def _read_tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormulaError(f"Unexpected character {text[at : at + 1]!r}")
        at = match.end()
        kind = next(name for name, value in match.groupdict().items() if value is not None)
        if kind != "comment":
            tokens.append((kind, match[3] if kind == "reference" else match[kind]))
    return tokens


class _Parser:
    """A recursive descent parser with operator precedence."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = [*tokens, ("", "end of formula")]
        self._at = 0
        self._depth = 0

    @property
    def token(self) -> tuple[str, str]:
        """The next token."""
        return self._tokens[self._at]

    def _next(self) -> tuple[str, str]:
        self._at += 1
        return self._tokens[self._at - 1]

    def _is_next(self, *operators: str) -> bool:
        return self.token[0] in ("operator", "name") and self.token[1] in operators

    def _expect(self, operator: str) -> None:
        if not self._is_next(operator):
            raise FormulaError(f"Expected {operator} before {self.token[1]}")
        self._next()

    def read_expression(self, power: int) -> Tree:
        """Read an expression whose operators bind at least as closely as `power`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise FormulaError("The formula is nested too deeply")
        left = self._read_unary()
        while self.token[0] in ("operator", "name") and self.token[1] in _BINARY:
            strength, name = _BINARY[self.token[1]]
            if strength < max(power, 1):
                break
            sign = self._next()[1]
            right = self.read_expression(strength if name == "pow" else strength + 1)
            left = Application(name, (left, right), sign)
        if power == 0 and self._is_next("?"):
            self._next()
            chosen = self.read_expression(0)
            self._expect(":")
            left = Application("if", (left, chosen, self.read_expression(0)), "?")
        self._depth -= 1
        return left

    def _read_unary(self) -> Tree:
        if self._is_next("-", "+"):
            sign = self._next()[1]
            operand = self.read_expression(_UNARY_POWER)
            return Application("unaryMinus" if sign == "-" else "unaryPlus", (operand,), sign)
        if self._is_next("!", "not"):
            sign = self._next()[1]
            return Application("not", (self.read_expression(_UNARY_POWER),), sign)
        return self._read_calls(self._read_atom())

    def _read_calls(self, tree: Tree) -> Tree:
        """Read the calls after a value: `a.f(b)` is `f(a, b)`."""
        while self._is_next("."):
            self._next()
            kind, name = self._next()
            if kind == "reference":
                tree = Application("prop", (tree, Constant(unquote(name))), ".")
            elif kind == "name":
                arguments = self._read_arguments("(", ")") if self._is_next("(") else ()
                tree = Application(name, (tree, *arguments), ".")
            else:
                raise FormulaError(f"Expected a function before {name}")
        return tree

    def _read_arguments(self, opening: str, closing: str) -> tuple[Tree, ...]:
        self._expect(opening)
        arguments: list[Tree] = []
        while not self._is_next(closing):
            arguments.append(self.read_expression(0))
            if not self._is_next(closing):
                self._expect(",")
        self._next()
        return tuple(arguments)

    def _read_atom(self) -> Tree:
        if self._is_next("["):
            return Application("list", self._read_arguments("[", "]"))
        kind, text = self._next()
        if kind == "number":
            value = float(text)
            return Constant(int(value) if value.is_integer() and abs(value) < 2**53 else value)
        if kind == "string":
            return Constant(
                re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text[1:-1], flags=re.DOTALL)
            )
        if kind == "reference":
            return PropertyReference(unquote(text))
        if kind == "name":
            return self._read_name(text)
        if text == "(":
            tree = self.read_expression(0)
            self._expect(")")
            return tree
        raise FormulaError(f"Unexpected {text}")

    def _read_name(self, name: str) -> Tree:
        if name in CONSTANTS:
            return Constant(CONSTANTS[name])
        if not self._is_next("("):
            return Variable(name)
        arguments = self._read_arguments("(", ")")
        if name == "prop" and len(arguments) == 1 and isinstance(arguments[0], Constant):
            return PropertyReference(str(arguments[0].value))
        return Application(name, arguments)
