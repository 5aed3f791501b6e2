"""What graphql-core says, in the words of graphql-js."""

from __future__ import annotations

import pytest

from twindiff.kit.graphql.messages import as_graphql_js

SAID = {
    "Cannot query field 'nam' on type 'Book'. Did you mean 'name'?": (
        'Cannot query field "nam" on type "Book". Did you mean "name"?'
    ),
    "Variable '$i' got invalid value {'title': 1, 'by': None}; Field 'by' is not defined by type 'I'.": (
        'Variable "$i" got invalid value { title: 1, by: null }; Field "by" is not defined by type "I".'
    ),
    "Variable '$i' got invalid value 'x' at 'i.n'; Int cannot represent non-integer value: 'x'": (
        'Variable "$i" got invalid value "x" at "i.n"; Int cannot represent non-integer value: "x"'
    ),
    "Variable '$i' got invalid value [{'a': [...]}, True]; Expected type 'I' to be an object.": (
        'Variable "$i" got invalid value [{ a: [Array] }, true]; Expected type "I" to be an object.'
    ),
    'String cannot represent a non string value: ["it\'s"]': 'String cannot represent a non string value: ["it\'s"]',
    "Variable '$i' got invalid value {'a': {...}}; Expected type 'I'.": (
        'Variable "$i" got invalid value { a: [Object] }; Expected type "I".'
    ),
    "Variable '$n' got invalid value None at 'n[0]'; Expected non-nullable type 'Float!' not to be None.": (
        'Variable "$n" got invalid value null at "n[0]"; Expected non-nullable type "Float!" not to be null.'
    ),
    "Syntax Error: Expected Name, found <EOF>.": "Syntax Error: Expected Name, found <EOF>.",
}


@pytest.mark.parametrize("message", SAID)
def test_names_and_values_are_quoted_as_graphql_js_quotes_them(message):
    assert as_graphql_js(message) == SAID[message]


def test_the_message_of_a_long_value_is_made_at_once():
    """A search that tries every letter of a word as its beginning would take minutes."""
    for value in ("x" * 2_000_000, " got invalid value 1; Expected" * 50_000):
        message = f"Variable '$id' got invalid value '{value}'; Expected type 'Book'"
        assert as_graphql_js(message) == message
    assert as_graphql_js(f"Int cannot represent non-integer value: '{'x' * 9_000}'").endswith('x"')
