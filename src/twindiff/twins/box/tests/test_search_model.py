"""A search finds what looking at every item would find, each once, whatever its words and however far one pages."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

import pytest

from tests.harness import LiveServer, Platform
from twindiff.server import Settings

from .conftest import ADA, BEN, Box

WORDS = ["plan", "plant", "budget", "red", "Zoë", "müller", "2024", "東京"]
PARTS = ("name", "description", "tags", "file_content", "comments")
WEIGHTS = {"name": 8, "description": 4, "tags": 4, "file_content": 2, "comments": 1}
SHARED = {"id": "1", "item_id": "13", "item_type": "folder", "accessible_by_id": ADA, "role": "viewer"}
EXTENSIONS = ("txt", "TXT", "plan", "tar.gz", "Zoë", "", None)
Rows = dict[str, list[dict[str, Any]]]
Said = dict[str, list[str]]
"""The words of an item's parts; a part may have several texts."""


@cache
def words(text: str) -> str:
    """The words of a text, each with a space on either side; each of these Chinese letters is one."""
    bare = "".join(each for each in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(each))
    spaced = "".join(f" {each} " if each in "東京" else each if each.isalnum() else " " for each in bare)
    return f" {' '.join(spaced.split())} "


class Item(NamedTuple):
    """An item with all that it says, and who may find it."""

    kind: str
    id: str
    name: str
    said: Said
    modified_at: str
    is_active: bool
    owner: str
    """Who sees it, being its owner, its folder's or a collaborator."""
    row: dict[str, Any]

    def has(self, wanted: str) -> list[str]:
        """The parts that have a word, or words side by side; the last goes on where items say something themselves."""
        whole = words(wanted)
        begun = whole if whole[-2] in "東京" else whole[:-1]
        sought = {"name": begun, "description": begun, "tags": begun, "file_content": whole, "comments": whole}
        return [part for part, texts in self.said.items() if any(sought[part] in text for text in texts)]


class Asked(NamedTuple):
    """A query as it is written, what it asks of an item, and its terms that are not excluded."""

    text: str
    holds: Callable[[Item], bool]
    terms: frozenset[str]


def asked(chance: Random, depth: int = 2) -> Asked:
    if not depth or chance.random() < 0.3:
        wanted = chance.choice(WORDS)[: chance.choice((1, 2, 9))]
        if chance.random() < 0.2:
            wanted = f"{chance.choice(WORDS)} {chance.choice(WORDS)}"
        return Asked(f'"{wanted}"', lambda item: bool(item.has(wanted)), frozenset([wanted]))
    one, other = asked(chance, depth - 1), asked(chance, depth - 1)
    how = chance.choice(("AND", "OR", "AND NOT"))
    text = f"({one.text} {how} {other.text})"
    if how == "AND NOT":
        return Asked(text, lambda item: one.holds(item) and not other.holds(item), one.terms)
    join = all if how == "AND" else any
    return Asked(text, lambda item: join((one.holds(item), other.holds(item))), one.terms | other.terms)


def phrase(chance: Random, most: int) -> str:
    return chance.choice((" ", "-")).join(chance.choices(WORDS, k=chance.randint(0, most)))


def rows_of(chance: Random, files: int, others: int, *, is_mixed: bool) -> Rows:
    """Files, folders and web links with random words; `is_mixed`: not all are Ada's, and some are in the trash."""
    folders = [
        {"id": "10", "name": "Mine", "parent_id": "0", "owned_by_id": ADA},
        {"id": "11", "name": "Gone", "parent_id": "0", "owned_by_id": ADA, "item_status": "active"},
        {"id": "12", "name": "Theirs", "parent_id": "0", "owned_by_id": BEN if is_mixed else ADA},
        {"id": "13", "name": "Shared", "parent_id": "0", "owned_by_id": BEN if is_mixed else ADA},
    ]
    if is_mixed:
        folders[1]["item_status"] = "trashed"

    def item(number: int, **more: Any) -> dict[str, Any]:
        owner = chance.choice((ADA, BEN)) if is_mixed else ADA
        status = "trashed" if is_mixed and chance.random() < 0.1 else "active"
        said = {"name": f"{phrase(chance, 3)} {number}", "description": phrase(chance, 1), "tags": [phrase(chance, 1)]}
        stamp = f"2024-01-01T00:00:{chance.randint(10, 59)}"
        parent = chance.choice(("10", "11", "12", "13"))
        place = {"parent_id": parent, "owned_by_id": owner, "item_status": status}
        times = {
            "created_at": f"2023-01-01T00:00:{chance.randint(10, 59)}",
            "modified_at": chance.choice((stamp, None)),
        }
        return {"id": str(number), **times, **said, **place, **more}

    ids = chance.sample(range(100_000, 999_999), files + 2 * others)
    links = [item(id, url="https://example.com") for id in ids[:others]]
    folders += [item(id) for id in ids[others : 2 * others]]
    made = [
        item(id, sha_1=f"sha{chance.randint(0, 60)}", extension=chance.choice(EXTENSIONS), size=chance.randint(0, 999))
        for id in ids[2 * others :]
    ]
    texts = [{"sha_1": f"sha{n}", "text": phrase(chance, 4)} for n in range(30)]
    comments = [
        {"id": str(n), "message": phrase(chance, 3), "file_id": file["id"], "item_id": file["id"]}
        for n, file in enumerate(chance.choices(made, k=40 if files < 900 else 700))
    ]
    items = {"box_folders": folders, "box_files": made, "box_web_links": links}
    users = [{"id": id, "name": id, "login": f"{id}@example.com", "role": "admin"} for id in (ADA, BEN)]
    told = {"box_content_texts": texts, "box_comments": comments, "box_collaborations": [SHARED]}
    return {**items, **told, "box_users": users}


def items_of(rows: Rows) -> list[Item]:
    """What a template's rows say, item by item."""
    texts = {row["sha_1"]: row["text"] for row in rows["box_content_texts"]}
    at = {row["id"]: row for row in rows["box_folders"]}
    items: list[Item] = []
    for kind, table in (("folder", "box_folders"), ("file", "box_files"), ("web_link", "box_web_links")):
        for row in rows[table]:
            said: Said = {"name": [words(row["name"])], "description": [words(row.get("description", ""))]}
            said["tags"] = [words(" ".join(row.get("tags", ())))]
            said["file_content"] = [words(texts.get(row.get("sha_1", ""), ""))]
            said["comments"] = [words(each["message"]) for each in rows["box_comments"] if each["file_id"] == row["id"]]
            around = [row, *([at[row["parent_id"]]] if row["parent_id"] in at else ())]
            is_active = all(each.get("item_status", "active") == "active" for each in around)
            owner = {each["owned_by_id"] for each in around}
            owner |= {ADA} if "13" in (row["id"], row["parent_id"]) else set()
            stamp = row.get("modified_at") or ""
            items += [Item(kind, row["id"], row["name"], said, stamp, is_active, each, row) for each in sorted(owner)]
    return items


class World(NamedTuple):
    """An enterprise and what is in it."""

    box: Box
    items: list[Item]

    def expected(self, query: Asked, user: str = ADA) -> list[Item]:
        """What looking at every item finds, what fits best first."""

        def score(item: Item) -> int:
            return sum(WEIGHTS[part] for term in query.terms for part in item.has(term))

        matches = [item for item in self.items if item.owner == user and item.is_active and query.holds(item)]
        return sorted(matches, key=lambda item: (-score(item), item.kind, item.name.casefold(), item.id))

    def pages(self, query: Asked, user: str = ADA, limit: int = 100, **more: Any) -> Iterator[dict[str, Any]]:
        box, offset, total = self.box.as_user(user), 0, 1
        while offset < total:
            page = box("GET", "search", params={"query": query.text, "limit": limit, "offset": offset, **more})
            yield page
            offset, total = offset + limit, page["total_count"]
        assert offset - limit + len(page["entries"]) == total or not page["entries"]


def world(files: int, others: int, seed: int, *, is_mixed: bool, has_comments: bool = True) -> Iterator[World]:
    server = LiveServer(Settings())
    rows = rows_of(Random(seed), files, others, is_mixed=is_mixed)
    if not has_comments:
        rows["box_comments"] = []
        for text in rows["box_content_texts"]:
            text["text"] = text["text"].replace("budget", "").replace("red", "tide")
    server.service.templates.add(server.service.registry.get("box"), "random", rows, origin="test")
    environment = Platform(server.in_process).environment(
        "box:random", ADA, tokens={f"token-{user}": user for user in (ADA, BEN)}
    )
    yield World(Box(environment), items_of(rows))
    server.close()


@pytest.fixture(scope="module")
def large() -> Iterator[World]:
    """An enterprise where the index alone tells who is found: all is Ada's, and of most words there are hundreds."""
    yield from world(900, 300, 1, is_mixed=False)


@pytest.fixture(scope="module")
def mixed() -> Iterator[World]:
    """A small one of two people, with a trash."""
    yield from world(150, 40, 2, is_mixed=True)


@pytest.fixture(scope="module")
def crowded() -> Iterator[World]:
    """A large one of two people, with a trash."""
    yield from world(900, 300, 3, is_mixed=True)


@pytest.fixture(scope="module", params=[False, True])
def uncommented(request: pytest.FixtureRequest) -> Iterator[World]:
    """A large one in which nobody has said anything, and some words are in no content and others in nothing else."""
    yield from world(900, 100, 4, is_mixed=request.param, has_comments=False)


def keys(page: dict[str, Any]) -> list[tuple[str, str]]:
    return [(entry["type"], entry["id"]) for entry in page["entries"]]


def in_turn(numbers: range, *choices: Any) -> list[Any]:
    """A case for each number, with one of the choices in turn; for long runs, with each of the others too."""
    return [
        pytest.param(number, each, marks=[] if at == number % len(choices) else pytest.mark.soak)
        for number in numbers
        for at, each in enumerate(choices)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_few_are_in_the_order_in_which_they_fit(mixed: World, seed: int):
    chance = Random(seed)
    query, user = asked(chance), chance.choice((ADA, BEN))
    listed = [key for page in mixed.pages(query, user, limit=chance.choice((7, 100))) for key in keys(page)]
    assert listed == [(item.kind, item.id) for item in mixed.expected(query, user)], query.text


@pytest.mark.parametrize(("seed", "where"), in_turn(range(20), "large", "crowded"))
def test_many_are_found_each_once(request: pytest.FixtureRequest, where: str, seed: int):
    place: World = request.getfixturevalue(where)
    query = asked(Random(seed))
    listed = [key for page in place.pages(query) for key in keys(page)]
    assert sorted(listed) == sorted((item.kind, item.id) for item in place.expected(query)), query.text


@pytest.mark.parametrize(("seed", "where"), in_turn(range(8), "large", "crowded"))
def test_the_latest_come_first_when_they_are_to(request: pytest.FixtureRequest, where: str, seed: int):
    place: World = request.getfixturevalue(where)
    query = asked(Random(seed))
    listed = [key for page in place.pages(query, sort="modified_at", limit=200) for key in keys(page)]
    at = {(item.kind, item.id): item.modified_at for item in place.expected(query)}
    assert sorted(listed) == sorted(at), query.text
    assert [at[key] for key in listed] == sorted(at.values(), reverse=True)


def narrowing(chance: Random) -> dict[str, Any]:
    """One or two filters."""
    size, second = chance.randint(0, 900), chance.randint(10, 59)
    filters = {
        "file_extensions": chance.choice(("txt", "ZOË,plan", "tar.gz", "doc")),
        "owner_user_ids": chance.choice((ADA, BEN, f"{ADA},{BEN}", "1")),
        "ancestor_folder_ids": chance.choice(("10", "12,13", "13")),
        "type": chance.choice(("file", "folder", "web_link")),
        "size_range": chance.choice((f"{size},", f",{size}", f"{size},{size + 99}")),
        "created_at_range": chance.choice((f"2023-01-01T00:00:{second}Z,", f",2023-01-01T00:00:{second}Z")),
        "updated_at_range": chance.choice((f"2024-01-01T00:00:{second}Z,", f",2023-01-01T00:00:{second}Z")),
    }
    return {name: filters[name] for name in chance.sample(sorted(filters), chance.randint(1, 2))}


def is_left(item: Item, filters: dict[str, Any]) -> bool:
    """Whether an item is what filters leave."""
    row = item.row
    listed = {name: text.split(",") for name, text in filters.items()}
    extensions = [each.casefold() for each in listed.get("file_extensions", [])]
    kept = [
        not extensions or (item.kind == "file" and (row["extension"] or "-").casefold() in extensions),
        row["owned_by_id"] in listed.get("owner_user_ids", [row["owned_by_id"]]),
        "ancestor_folder_ids" not in listed or row["parent_id"] in listed["ancestor_folder_ids"],
        item.kind == filters.get("type", item.kind),
        "size_range" not in listed or (item.kind == "file" and is_within(row["size"], *listed["size_range"], read=int)),
    ]
    created, updated = row.get("created_at"), row.get("modified_at") or row.get("created_at")
    for name, stamp in (("created_at_range", created), ("updated_at_range", updated)):
        ends = [each.removesuffix("Z") for each in listed.get(name, ())]
        kept.append(not ends or (stamp is not None and is_within(stamp, *ends, read=str)))
    return all(kept)


def is_within(value: Any, low: str, high: str, *, read: Any) -> bool:
    return (not low or value >= read(low)) and (not high or value <= read(high))


@pytest.mark.parametrize(("seed", "where"), in_turn(range(30), "large", "crowded"))
def test_filters_leave_each_item_that_they_are_to(request: pytest.FixtureRequest, where: str, seed: int):
    place: World = request.getfixturevalue(where)
    chance = Random(seed)
    query, filters, user = asked(chance), narrowing(chance), chance.choice((ADA, BEN))
    if "ancestor_folder_ids" in filters:
        user = ADA if where == "large" else BEN
        filters["ancestor_folder_ids"] = "10" if user == ADA else "12,13"
    expected = [item for item in place.expected(query, user) if is_left(item, filters)]
    listed = [key for page in place.pages(query, user, **filters) for key in keys(page)]
    assert sorted(listed) == sorted((item.kind, item.id) for item in expected), (query.text, filters)


FLAT = [
    [["tide"]],
    [["plan"]],
    [["plan", "tide"]],
    [["tide"], ["budget"]],
    [["tide", "müller"], ["budget"], ["r"]],
    [["tide"], ["plan"]],
    [["budget", "red"], ["2024", "zoe"]],
    [["tide"], ["red-budget"]],
    [["tide"], ["unheard"]],
]
"""Words of which any must be there, for each of what must all be."""


def test_files_are_not_found_by_their_contents_for_what_is_excluded(uncommented: World):
    def holds(item: Item) -> bool:
        return bool(item.has("tide") and item.has("2024") and not item.has("budget"))

    query = Asked("tide AND (2024 NOT budget)", holds, frozenset(("tide", "2024")))
    listed = [key for page in uncommented.pages(query) for key in keys(page)]
    assert sorted(listed) == sorted((item.kind, item.id) for item in uncommented.expected(query))


NARROWED = ({}, {"file_extensions": "txt"}, {"content_types": "file_content"})


@pytest.mark.parametrize(("number", "filters"), in_turn(range(len(FLAT)), *NARROWED))
def test_files_are_found_by_their_contents(uncommented: World, number: int, filters: dict[str, Any]):
    groups = FLAT[number]
    parts = PARTS[-2:-1] if "content_types" in filters else PARTS

    def holds(item: Item) -> bool:
        return all(any({*item.has(word)}.intersection(parts) for word in group) for group in groups)

    text = " AND ".join(" ".join(group) for group in groups)
    query = Asked(text, holds, frozenset(word for group in groups for word in group))
    expected = [item for item in uncommented.expected(query) if is_left(item, filters)]
    for limit in (30, 200):
        pages = [*uncommented.pages(query, limit=limit, **filters)]
        assert sorted(key for page in pages for key in keys(page)) == sorted((item.kind, item.id) for item in expected)
        assert all(len(page["entries"]) == limit for page in pages[:-1])


@pytest.mark.parametrize("where", ["large", "crowded"])
@pytest.mark.parametrize("word", ["tide", "plan", "2024 zoe", "unheard"])
@pytest.mark.parametrize("filters", [{}, {"size_range": "300,"}])
def test_files_are_found_by_their_comments(
    request: pytest.FixtureRequest, where: str, word: str, filters: dict[str, Any]
):
    place: World = request.getfixturevalue(where)
    query = Asked(word, lambda item: any("comments" in item.has(each) for each in word.split()), frozenset())
    found_by = [item for item in place.expected(query) if is_left(item, filters)]
    listed = [key for page in place.pages(query, content_types="comments", **filters) for key in keys(page)]
    assert sorted(listed) == sorted((item.kind, item.id) for item in found_by)
