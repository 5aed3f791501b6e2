"""Runs SOQL and SOSL. https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_query.htm"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.request_context import RequestContext
from twindiff.kit.twin import Operations

from .objects import (
    AUDIT,
    OBJECTS,
    VIEWED,
    SalesforceCustomField,
    SalesforceDescription,
    SalesforceObject,
    children_of,
    compounds_of,
    find_object,
    has_photo,
    relation_of,
)
from .soql import Soql, SoqlCondition, SoqlValue, parse_soql
from .wire_style import NotServedHere, SalesforceError, lengthen_id, show_time

api = Operations()
MAX_PAGE_RECORDS = 2000
FIELDS_MEMO = "salesforce fields"
"""What the memo of a call calls the names of fields by object."""
Record = dict[str, Any]


def get_object(said: str) -> SalesforceObject:
    """Return an object; raises SalesforceError in the words that queries get."""
    known = find_object(said)
    if known is None:
        raise SalesforceError("INVALID_TYPE", f"sObject type '{said}' is not supported.")
    return known


def list_custom(call: Call, kind: SalesforceObject) -> list[SalesforceCustomField]:
    """Return the fields that the org has added to an object."""
    return call.db.rows(SalesforceCustomField, SalesforceCustomField.object == kind.name)


def list_fields(call: Call, kind: SalesforceObject) -> list[str]:
    """Return the names of all fields of an object."""
    memo: dict[str, list[str]] = call.memo.setdefault(FIELDS_MEMO, {})
    if kind.name not in memo:
        name = ["Name"] if kind.has_name_parts else []
        seen = [*VIEWED, *(["PhotoUrl"] if has_photo(kind) else [])] if "OwnerId" in kind.fields else []
        own = ["Id", "IsDeleted", *name, *kind.fields, *compounds_of(kind), *AUDIT[1:], *seen]
        added = [each.name for each in list_custom(call, kind)]
        memo[kind.name] = [*dict.fromkeys([*own, *added, *_list_described(call, kind)])]
    return memo[kind.name]


def find_description(call: Call, kind: SalesforceObject) -> dict[str, Any] | None:
    """Return what the user's org says of an object, if it is known."""
    row = call.db.find(SalesforceDescription, SalesforceDescription.name == kind.name)
    return cast(dict[str, Any], row.description) if row is not None and row.description else None


def _list_described(call: Call, kind: SalesforceObject) -> list[str]:
    described = find_description(call, kind) or {}
    return [str(each["name"]) for each in described.get("fields", ())]


def read_field(kind: SalesforceObject, row: Any, name: str) -> Any:
    """Return the value of a field of a row, by its exact name."""
    if name == "Name" and kind.has_name_parts:
        return " ".join(filter(None, (row.FirstName, row.LastName)))
    if name == "SystemModstamp" or name in VIEWED:
        return show_time(row.LastModifiedDate)
    if name == "PhotoUrl" and has_photo(kind):
        return f"/services/images/photo/{row.Id}"
    if name.endswith("Address") and name in compounds_of(kind):
        return _join_address(row, name.removesuffix("Address"))
    if name in ("CreatedDate", "LastModifiedDate"):
        return show_time(getattr(row, name))
    return (
        row.custom.get(name) if name not in kind.fields and name not in AUDIT and name != "Id" else getattr(row, name)
    )


def _join_address(row: Any, before: str) -> Record | None:
    """Return an address as one value; None for one of which no part is given."""
    parts = ("City", "Country", "GeocodeAccuracy", "Latitude", "Longitude", "PostalCode", "State", "Street")
    joined = {each[0].lower() + each[1:]: getattr(row, before + each) for each in parts}
    return joined if any(each is not None for each in joined.values()) else None


class _QueryRunner:
    """Runs one query over the rows of an operation."""

    def __init__(self, call: Call, *, deleted: bool = False) -> None:
        self._call, self._deleted = call, deleted
        self._rows: dict[str, dict[str, Any]] = {}

    def rows(self, kind: SalesforceObject) -> dict[str, Any]:
        """Return the rows of an object by id."""
        if kind.name not in self._rows:
            rows = self._call.db.rows(kind.row)
            self._rows[kind.name] = {row.Id: row for row in rows if self._deleted or not row.IsDeleted}
        return self._rows[kind.name]

    def field(self, kind: SalesforceObject, path: str) -> Callable[[Any], Any]:
        """Return a function that reads a field, such as `Account.Owner.Name`, of a row."""
        first, _, rest = path.partition(".")
        if rest:
            if first.lower() == kind.name.lower():
                return self.field(kind, rest)
            for field in kind.fields.values():
                if field.target and relation_of(field).lower() == first.lower():
                    return self._through(field.name, OBJECTS[field.target], rest)
            said = f"Didn't understand relationship '{first}' in field path."
            raise SalesforceError("INVALID_FIELD", said)
        name = next((each for each in list_fields(self._call, kind) if each.lower() == path.lower()), None)
        if name is None:
            raise SalesforceError(
                "INVALID_FIELD",
                f"No such column '{path}' on entity '{kind.name}'. If you are attempting to use a custom field, be sure"
                " to append the '__c' after the custom field name.",
            )
        return lambda row: read_field(kind, row, name)

    def _through(self, column: str, target: SalesforceObject, rest: str) -> Callable[[Any], Any]:
        read = self.field(target, rest)

        def read_related(row: Any) -> Any:
            related = self.rows(target).get(getattr(row, column) or "")
            return read(related) if related is not None else None

        return read_related

    def matches(self, kind: SalesforceObject, where: SoqlCondition | None) -> list[Any]:
        """Return the rows that meet a condition."""
        meets = self._compile(where, partial(self.field, kind)) if where else None
        return [row for row in self.rows(kind).values() if meets is None or meets(row)]

    def _compile(self, where: SoqlCondition, reader_of: Callable[[str], Callable[[Any], Any]]) -> Callable[[Any], bool]:
        """Return whether a row meets a condition, whose fields are read as `reader_of` says."""
        if where.parts:
            parts = [self._compile(each, reader_of) for each in where.parts]
            if where.operator == "not":
                return lambda row: not parts[0](row)
            join = all if where.operator == "and" else any
            return lambda row: join(part(row) for part in parts)
        read = reader_of(where.field)
        if where.values[0].kind == "query":
            inner = where.values[0].value
            source = get_object(inner.source)
            select = self.field(source, inner.fields[0].field)
            ids = {select(row) for row in self.matches(source, inner.where)}
            is_in = where.operator == "in"
            return lambda row: (read(row) in ids) == is_in
        return self._compare(where, read)

    def _compare(self, where: SoqlCondition, read: Callable[[Any], Any]) -> Callable[[Any], bool]:
        operator = where.operator
        spans = [self._span(each) for each in where.values]
        if operator == "like":
            if where.values[0].kind != "text":
                raise SalesforceError("MALFORMED_QUERY", f"The value of LIKE must be a text: {where.values[0].value}")
            wildcards = {"%": ".*", "_": "."}
            text = "".join(wildcards.get(letter) or re.escape(letter) for letter in str(where.values[0].value))
            pattern = re.compile(text, re.IGNORECASE | re.DOTALL)
            return lambda row: pattern.fullmatch(str(read(row) or "")) is not None
        if operator in ("=", "in", "!=", "not in"):
            wanted = operator in ("=", "in")
            return lambda row: any(_is_within(read(row), low, high) for low, high in spans) == wanted
        if operator in ("includes", "excludes"):
            wanted = operator == "includes"
            return lambda row: any(low in str(read(row) or "").split(";") for low, _ in spans) == wanted
        low, high = spans[0]
        bound = high if operator in (">", "<=") else low
        return lambda row: _is_ordered(read(row), operator, bound)

    def _span(self, value: SoqlValue) -> tuple[Any, Any]:
        """Return the first and the last value that a value stands for: a day begins and ends."""
        if value.kind == "word":
            return self._literal(value.value)
        if value.kind == "time":
            at = datetime.fromisoformat(value.value)
            text = at.astimezone(tz=self._call.clock.now.tzinfo).strftime("%Y-%m-%dT%H:%M:%S")
            return text, text
        return value.value, value.value

    def _literal(self, word: str) -> tuple[Any, Any]:
        lower = word.lower()
        if lower in ("true", "false", "null"):
            value = {"true": True, "false": False, "null": None}[lower]
            return value, value
        today = self._call.clock.now.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        name, _, count = lower.partition(":")
        number = int(count or 0)
        month = today.replace(day=1)
        next_month = (month + timedelta(days=32)).replace(day=1)
        week = today - timedelta(days=(today.weekday() + 1) % 7)
        day = timedelta(days=1)
        spans = {
            "today": (today, today),
            "yesterday": (today - day, today - day),
            "tomorrow": (today + day, today + day),
            "last_n_days": (today - number * day, today),
            "next_n_days": (today + day, today + number * day),
            "this_week": (week, week + 6 * day),
            "last_week": (week - 7 * day, week - day),
            "next_week": (week + 7 * day, week + 13 * day),
            "this_month": (month, next_month - day),
            "last_month": ((month - day).replace(day=1), month - day),
            "this_year": (today.replace(month=1, day=1), today.replace(month=12, day=31)),
            "last_90_days": (today - 90 * day, today),
        }
        if name not in spans:
            if ":" in word or "_" in word:
                raise NotServedHere(f"The date literal '{word}' is not implemented here.")
            raise SalesforceError("MALFORMED_QUERY", f"unexpected token: '{word}'")
        first, last = spans[name]
        return first.date().isoformat(), last.date().isoformat() + "T23:59:59.999"

    def run(self, query: Soql) -> list[Record]:
        """Return the records of a query, all of them."""
        kind = get_object(query.source)
        rows = self.matches(kind, query.where)
        if query.group or any(
            each.function and each.function not in ("fields", "tolabel", "format") for each in query.fields
        ):
            return self._aggregate(kind, query, rows)
        return self.records(kind, query, rows)

    def records(self, kind: SalesforceObject, query: Soql, rows: list[Any]) -> list[Record]:
        """Return rows, sorted and cut, with the selected fields."""
        for term in reversed(query.order):
            read = self.field(kind, term.field)
            rows.sort(key=lambda row: _comparable(read(row)), reverse=term.descends)
            if term.nulls_last != term.descends:
                rows.sort(key=lambda row: (read(row) is None) == term.nulls_last)
        rows = rows[query.offset :]
        rows = rows if query.limit is None else rows[: query.limit]
        paths = self._paths(kind, query)
        readers = [(path, self.field(kind, path)) for path in paths]
        children = [self._child(kind, each) for each in query.children]
        return [self._show(kind, row, readers, children) for row in rows]

    def _paths(self, kind: SalesforceObject, query: Soql) -> list[str]:
        paths: list[str] = []
        for each in query.fields:
            if each.function == "fields":
                custom = [field.name for field in list_custom(self._call, kind)]
                names = custom if each.field.lower() == "custom" else list_fields(self._call, kind)
                paths += [name for name in names if each.field.lower() != "standard" or name not in custom]
            else:
                paths.append(each.field)
        return paths

    def _show(
        self,
        kind: SalesforceObject,
        row: Any,
        readers: Sequence[tuple[str, Callable[[Any], Any]]],
        children: Sequence[tuple[str, Callable[[str], list[Record]]]],
    ) -> Record:
        record = show_attributes(self._call, kind, row.Id)
        for path, read in readers:
            *above, name = self._spell(kind, path)
            node: Any = record
            value = read(row)
            for step in above:
                if node.get(step) is None:
                    node[step] = {"attributes": {"type": step}} if value is not None else None
                if node[step] is None:
                    break
                node = node[step]
            else:
                node[name] = value
        for name, select in children:
            below = select(row.Id)
            record[name] = {"totalSize": len(below), "done": True, "records": below} if below else None
        return record

    def _spell(self, kind: SalesforceObject, path: str) -> list[str]:
        """Return the steps of a path with the letters that the object's fields have."""
        steps: list[str] = []
        known: SalesforceObject | None = kind
        for step in path.split("."):
            field = (
                next((f for f in known.fields.values() if f.target and relation_of(f).lower() == step.lower()), None)
                if known
                else None
            )
            if field:
                steps.append(relation_of(field))
                known = OBJECTS[field.target]
            else:
                names = list_fields(self._call, known) if known else []
                steps.append(next((name for name in names if name.lower() == step.lower()), step))
        return (
            steps
            if len(steps) == 1 or steps[0].lower() != kind.name.lower() or kind.fields.get(f"{steps[0]}Id")
            else steps[1:]
        )

    def _child(self, kind: SalesforceObject, query: Soql) -> tuple[str, Callable[[str], list[Record]]]:
        plural = next((each for each in children_of(kind.name) if each.lower() == query.source.lower()), None)
        if plural is None:
            raise SalesforceError(
                "INVALID_TYPE", f"Didn't understand relationship '{query.source}' in FROM part of query call."
            )
        child, field = children_of(kind.name)[plural]
        rows = self.matches(child, query.where)
        return plural, lambda id: self.records(child, query, [row for row in rows if getattr(row, field.name) == id])

    def _aggregate(self, kind: SalesforceObject, query: Soql, rows: list[Any]) -> list[Record]:
        keys = [(name, self.field(kind, name)) for name in query.group]
        groups: dict[tuple[Any, ...], list[Any]] = {} if keys else {(): []}
        for row in rows:
            groups.setdefault(tuple(read(row) for _, read in keys), []).append(row)
        meets = self._compile(query.having, partial(self._read_group, kind, query.group)) if query.having else None
        records: list[Record] = []
        for key, members in groups.items():
            if meets is not None and not meets((key, members)):
                continue
            record: Record = {"attributes": {"type": "AggregateResult"}}
            number = 0
            for each in query.fields:
                if not each.function:
                    if each.field.lower() not in [name.lower() for name, _ in keys]:
                        raise SalesforceError("MALFORMED_QUERY", f"Field must be grouped or aggregated: {each.field}")
                    place = [name.lower() for name, _ in keys].index(each.field.lower())
                    record[each.field.rpartition(".")[2]] = key[place]
                else:
                    values = [self.field(kind, each.field)(row) for row in members] if each.field else members
                    record[each.alias or f"expr{number}"] = _AGGREGATES[self._check_function(each.function)](values)
                    number += 0 if each.alias else 1
            records.append(record)
        for term in reversed(query.order):
            names = [name for name, _ in keys]
            name = (
                term.field.rpartition(".")[2]
                if term.field in names
                else next((key for key in records[0] if key != "attributes"), "")
                if records
                else ""
            )
            records.sort(key=lambda record: _comparable(record.get(name)), reverse=term.descends)
        return records if query.limit is None else records[: query.limit]

    def _read_group(
        self, kind: SalesforceObject, names: Sequence[str], path: str
    ) -> Callable[[tuple[tuple[Any, ...], list[Any]]], Any]:
        """Return a function that reads an aggregate such as `count(Id)`, or a grouped field, of a group."""
        function, is_aggregate, inner = path.removesuffix(")").partition("(")
        if is_aggregate:
            aggregate = _AGGREGATES[self._check_function(function)]
            read = self.field(kind, inner) if inner else None
            return lambda group: aggregate([read(row) for row in group[1]] if read else group[1])
        grouped = [name.lower() for name in names]
        if path.lower() not in grouped:
            raise SalesforceError("MALFORMED_QUERY", f"Field must be grouped or aggregated: {path}")
        place = grouped.index(path.lower())
        return lambda group: group[0][place]

    def _check_function(self, name: str) -> str:
        if name not in _AGGREGATES:
            raise NotServedHere(f"The function '{name}' of SOQL is not implemented here.")
        return name


def _list_numbers(values: list[Any]) -> list[Any]:
    """Return the values that there are. Raises SalesforceError if one is no number."""
    there = [each for each in values if each is not None]
    if not all(isinstance(each, (int, float)) for each in there):
        raise SalesforceError("MALFORMED_QUERY", "Only fields of numbers can be added up")
    return there


def _total(values: list[Any]) -> Any:
    numbers = _list_numbers(values)
    return sum(numbers) if numbers else None


def _average(values: list[Any]) -> Any:
    numbers = _list_numbers(values)
    return sum(numbers) / len(numbers) if numbers else None


_AGGREGATES: dict[str, Callable[[list[Any]], Any]] = {
    "count": lambda values: sum(1 for each in values if each is not None),
    "count_distinct": lambda values: len({each for each in values if each is not None}),
    "sum": _total,
    "avg": _average,
    "min": lambda values: min((each for each in values if each is not None), default=None),
    "max": lambda values: max((each for each in values if each is not None), default=None),
}


def _comparable(value: Any) -> tuple[int, float, str]:
    if value is None:
        return (0, 0.0, "")
    if isinstance(value, bool | int | float):
        return (1, float(value), "")
    return (2, 0.0, str(value).lower())


def _plain(value: Any, other: Any) -> Any:
    """Return a value in the form of the other one: times without a zone, ids with 18 letters, texts in lower case."""
    if isinstance(value, str):
        if isinstance(other, str) and re.fullmatch(r"\d{4}-\d\d-\d\d(T.*)?", other):
            return value.removesuffix("+0000").removesuffix(".000")
        return lengthen_id(value).lower() if re.fullmatch(r"[A-Za-z0-9]{15}", value) else value.lower()
    return value


def _is_within(value: Any, low: Any, high: Any) -> bool:
    if low is high or low == high:
        return _comparable(_plain(value, low)) == _comparable(_plain(low, value))
    return value is not None and _comparable(low) <= _comparable(_plain(value, low)) <= _comparable(high)


def _is_ordered(value: Any, operator: str, bound: Any) -> bool:
    if value is None or bound is None:
        return False
    one, two = _comparable(_plain(value, bound)), _comparable(_plain(bound, value))
    return {"<": one < two, "<=": one <= two, ">": one > two, ">=": one >= two}[operator]


def show_attributes(call: Call, kind: SalesforceObject, id: str) -> Record:
    """Return the beginning of each record; its address is of the version that is called."""
    exchange: RequestContext = call.memo["exchange"]
    version = exchange.path_parameters.get("version", "62.0")
    return {"attributes": {"type": kind.name, "url": f"/services/data/v{version}/sobjects/{kind.name}/{id}"}}


def list_query_records(call: Call, text: str, *, deleted: bool = False) -> tuple[str, list[str], list[Record]]:
    """Return the object of a query, the names of its columns and all its records, for jobs. Raises SalesforceError."""
    query = parse_soql(text)
    if query.children:
        raise SalesforceError("FUNCTIONALITY_NOT_ENABLED", "Jobs have no queries of children")
    names = [each.alias or each.field for each in query.fields]
    return get_object(query.source).name, names, _QueryRunner(call, deleted=deleted).run(query)


def flatten_record(record: Record, above: str = "") -> Record:
    """Return a record with the fields of its relations by path, such as `Account.Name`, for CSV."""
    flat: Record = {}
    for name, value in record.items():
        if name != "attributes":
            inner = isinstance(value, dict) and "attributes" in value
            flat |= flatten_record(cast(Record, value), f"{above}{name}.") if inner else {f"{above}{name}": value}
    return flat


def _answer(call: Call, text: str, start: int, *, deleted: bool, version: str) -> Record:
    query = parse_soql(text)
    runner = _QueryRunner(call, deleted=deleted)
    if [(each.function, each.field) for each in query.fields] == [("count", "")]:
        count = len(runner.matches(get_object(query.source), query.where))
        return {"totalSize": count, "done": True, "records": []}
    records = runner.run(query)
    end = start + MAX_PAGE_RECORDS
    shown: Record = {"totalSize": len(records), "done": end >= len(records), "records": records[start:end]}
    if end < len(records):
        place = encode_cursor("soql", f"{end} {text}")
        shown["nextRecordsUrl"] = f"/services/data/v{version}/query/{place}"
    return shown


@api.get("/services/data/v{version}/query")
def get_query(call: Call, version: str, q: str) -> Record:
    """Run a query."""
    return _answer(call, q, 0, deleted=False, version=version)


@api.get("/services/data/v{version}/queryAll")
def get_query_all(call: Call, version: str, q: str) -> Record:
    """Run a query over deleted records too."""
    return _answer(call, q, 0, deleted=True, version=version)


@api.get("/services/data/v{version}/query/{locator}")
def get_query_page(call: Call, version: str, locator: str) -> Record:
    """Return a further page of a query."""
    place, _, text = decode_cursor("soql", locator).partition(" ")
    return _answer(call, text, int(place), deleted=False, version=version)


_SOSL = re.compile(
    r"\s*find\s*\{(?P<words>[^}]*)\}(?:\s*in\s+\w+\s+fields)?\s*(?:returning\s+(?P<returning>.*))?",
    re.IGNORECASE | re.DOTALL,
)


@api.get("/services/data/v{version}/search")
def get_search(call: Call, version: str, q: str) -> Record:
    """Find records by words: `FIND {mill} IN ALL FIELDS RETURNING Account(Id, Name), Contact`."""
    match = _SOSL.fullmatch(q)
    if match is None:
        raise SalesforceError(
            "MALFORMED_SEARCH", "The search must have the form FIND {words} RETURNING Object(fields)."
        )
    words = [word.strip('"*').lower() for word in match["words"].replace("\\", "").split()]
    returned = re.findall(r"(\w+)\s*(?:\(([^()]*)\))?", match["returning"] or "Account, Contact, Lead")
    runner = _QueryRunner(call)
    records: list[Record] = []
    for name, fields in returned:
        kind = get_object(name)
        listed, _, rest = (
            re.sub(r"\s+", " ", fields).partition(" WHERE ") if " where " in fields.lower() else (fields, "", "")
        )
        if rest:
            raise NotServedHere("Conditions in RETURNING are not implemented here.")
        query = parse_soql(f"SELECT {listed.strip() or 'Id'} FROM {kind.name}")  # noqa: S608 - it is no SQL
        texts = [field.name for field in kind.fields.values() if field.type in ("string", "picklist")]
        rows = [
            row
            for row in runner.rows(kind).values()
            if all(any(word in str(getattr(row, name) or "").lower() for name in texts) for word in words)
        ]
        records += runner.records(kind, query, rows)
    return {"searchRecords": records}
