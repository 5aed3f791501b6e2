"""What GraphQL costs in the Linear twin's rich workspace; only `issueCreate` goes through the whole server.

Run it with `python benchmarks/graphql.py`. CPU time in milliseconds, the median of many calls; `first sight` is
the time to read a text that was not seen before. The texts of the vendor's own SDK are read from a folder `shared`
beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, cast

import httpx
import msgspec
from graphql import get_named_type, is_leaf_type, is_required_argument, parse, print_ast
from graphql.language import FieldNode, OperationDefinitionNode
from graphql.utilities import separate_operations

from twindiff.kit.call import Call
from twindiff.server import Gateway, Service, Settings
from twindiff.twins.linear import twin

AGENT = "2790a7ee-fde0-4537-9588-e233aa5a68d1"
RUNS = 40
ROUNDS = 3
CHECKOUT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("TWINDIFF_SHARED", CHECKOUT.parent / "shared"))
SDK = SHARED / "specs" / "linear" / "sdk_documents.graphql"

LIST = """
query($filter: IssueFilter) {
  issues(first: 20, filter: $filter) {
    nodes {
      id identifier number title description priority priorityLabel estimate dueDate url branchName createdAt updatedAt
      archivedAt startedAt completedAt canceledAt sortOrder trashed
      state { id name type color } assignee { id name displayName }
      team { id key name } creator { id } project { id name }
      labels { nodes { id name color } }
    }
    pageInfo { hasNextPage endCursor }
  }
}
"""
NESTED = """
query($filter: IssueFilter) {
  issues(first: 50, filter: $filter) {
    nodes {
      id title
      team { name members(first: 5) { nodes { name } } }
      children(first: 5, filter: {state: {type: {neq: "completed"}}}) {
        nodes { id title assignee { name } labels(first: 3) { nodes { name } } }
      }
      comments(first: 5) { nodes { body user { name } } }
    }
  }
}
"""
NESTED_FILTER = {
    "and": [
        {"or": [{"assignee": {"null": True}}, {"assignee": {"active": {"eq": True}}}]},
        {"labels": {"some": {"name": {"neq": "none"}}}},
        {"comments": {"length": {"gte": 0}}},
        {"team": {"key": {"neq": "XXX"}}, "state": {"type": {"in": ["started", "unstarted", "backlog", "completed"]}}},
    ]
}
CREATE = "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id number identifier } } }"


class Workspace:
    """A server with one environment of the rich workspace."""

    def __init__(self) -> None:
        self.service = Service(Settings())
        transport = httpx.ASGITransport(app=Gateway(self.service))
        self.client = httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60)
        self.url = self.environment = ""

    async def open(self) -> None:
        body = {"templates": ["linear:linear_workspace"], "impersonateUserId": AGENT}
        made = (await self.client.post("/api/platform/initEnv", json=body)).json()
        self.url = f"{made['environmentUrl']}/graphql"
        self.environment = made["environmentId"]

    def cpu(self, text: str, variables: dict[str, Any], runs: int = RUNS) -> tuple[float, int, int]:
        """Milliseconds per call, statements and bytes of the answer."""
        plan, execute = twin.api.plan, twin.api.execute

        def work(moment: Any) -> tuple[float, int, int]:
            store: Any = Counting(moment.db)
            outcome = execute(plan(text, None, variables), Call(AGENT, store, moment.clock), variables)
            assert not outcome.problems, outcome.problems
            times: list[float] = []
            for _ in range(runs):
                started = process_time()
                result = execute(plan(text, None, variables), Call(AGENT, moment.db, moment.clock), variables)
                answer = msgspec.json.encode({"data": result.data})
                times.append(process_time() - started)
            return statistics.median(times) * 1000, store.statements, len(answer)

        return self.service.engine.read(self.environment, "linear", work)

    async def create_at_once(self, count: int) -> tuple[float, list[int]]:
        team = (await self._ask("{ teams(first: 1) { nodes { id } } }", {}))["teams"]["nodes"][0]["id"]
        given = [{"input": {"teamId": team, "title": f"Issue {number}"}} for number in range(count)]
        started = perf_counter()
        answers = await asyncio.gather(*(self._ask(CREATE, each) for each in given))
        spent = perf_counter() - started
        return spent * 1000 / count, sorted(int(answer["issueCreate"]["issue"]["number"]) for answer in answers)

    async def _ask(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": "lin_api_bench"}
        answer = await self.client.post(self.url, json={"query": query, "variables": variables}, headers=headers)
        return answer.json()["data"]


class Counting:
    """A store that counts its statements."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.statements = 0

    def __getattr__(self, name: str) -> Any:
        self.statements += name in ("get", "find", "rows", "pages", "count")
        return getattr(self._store, name)


def whole(root: str, field: Any) -> str:
    """A text as an SDK writes it: every field of the root's nodes, related entities by their ids."""
    node = get_named_type(get_named_type(field.type).fields["nodes"].type)
    parts = [part for name, each in node.fields.items() if (part := _selected(name, each))]
    return f"{{ {root}(first: 50) {{ nodes {{ {' '.join(parts)} }} pageInfo {{ hasNextPage endCursor }} }} }}"


def _selected(name: str, field: Any) -> str:
    kind = get_named_type(field.type)
    if any(is_required_argument(each) for each in field.args.values()):
        return ""
    if is_leaf_type(kind):
        return name
    return f"{name} {{ id }}" if "id" in getattr(kind, "fields", {}) else ""


def lists() -> dict[str, str]:
    """A whole text for every list that can be asked without arguments."""
    fields: Any = cast(Any, twin.api.schema.query_type).fields
    texts: dict[str, str] = {}
    for name, field in fields.items():
        paged = "nodes" in getattr(get_named_type(field.type), "fields", {})
        if paged and not any(map(is_required_argument, field.args.values())):
            texts[name] = whole(name, field)
    return texts


def sdk_documents() -> dict[str, str]:
    """The documents of the SDK whose root is served, each with the fragments it uses."""
    if not SDK.exists():
        return {}
    served = {operation.name for operation in twin.dispatch.operations}
    parts = separate_operations(parse(SDK.read_text()))
    return {name: print_ast(each) for name, each in parts.items() if _root(each.definitions) in served}


def _root(definitions: Any) -> str:
    operation = next(each for each in definitions if isinstance(each, OperationDefinitionNode))
    (field,) = operation.selection_set.selections
    return f"{operation.operation.value} {cast(FieldNode, field).name.value}"


_fresh = count()


def first_sight(text: str) -> float:
    """CPU milliseconds to parse and compile a text that was not seen before."""
    best = float("inf")
    for _ in range(5):
        unseen = f"{text} #{next(_fresh)}"
        started = process_time()
        twin.api.plan(unseen, None, {})
        best = min(best, process_time() - started)
    return best * 1000


def show_spread(name: str, texts: dict[str, str]) -> None:
    """The middle, the slowest hundredth and the worst of many; in rounds, since other programs disturb some moments."""
    times = dict.fromkeys(texts, float("inf"))
    for _ in range(ROUNDS):
        times = {each: min(times[each], first_sight(text)) for each, text in texts.items()}
    worst = max(times, key=lambda each: times[each])
    known = sorted(times.values())
    show(f"{name}, worst of {len(times)}", times[worst], worst, 15)
    show(f"{name}, p50", statistics.median(known), bar=15)
    show(f"{name}, p99", known[len(known) * 99 // 100], bar=15)


def show(name: str, milliseconds: float, more: str = "", bar: float | None = None) -> None:
    mark = "" if bar is None else f"≤ {bar:g}{'' if milliseconds <= bar else '  MISSED'}"
    print(f"{name:<52} {milliseconds:>8.3f}  {mark:<14} {more}")


def plans(workspace: Workspace, measure: Callable[[str, dict[str, Any]], tuple[float, int, int]]) -> None:
    for name, text, variables, bar in (
        ("20 issues with 24 fields each", LIST, {"filter": {"team": {"key": {"neq": "XXX"}}}}, 1.0),
        ("three levels, nested filters, 1,500 issues", NESTED, {"filter": NESTED_FILTER}, 8.0),
    ):
        spent, statements, size = measure(text, variables)
        show(name, spent, f"{statements} statements, {size:,} bytes", bar)
        show(f"  first sight ({len(text)} characters)", first_sight(text), bar=15)


async def main() -> None:
    workspace = Workspace()
    await workspace.open()
    gc.collect()
    gc.freeze()
    plans(workspace, workspace.cpu)
    texts = lists()
    flat = {name: workspace.cpu(text, {}, 10)[0] for name, text in texts.items()}
    slowest = sorted(flat, key=lambda name: flat[name], reverse=True)
    for name in slowest[:5]:
        show(f"list {name}, 50 rows, every field", flat[name], bar=5)
    show(f"median of {len(flat)} lists", statistics.median(flat.values()), bar=5)
    show_spread("first sight of a list", texts)
    documents = sdk_documents()
    if documents:
        show_spread("first sight of an SDK document", documents)
    else:
        print(f"first sight of an SDK document: there are none at {SDK}; set TWINDIFF_SHARED")
    for clients in (8, 32):
        each, numbers = await workspace.create_at_once(clients)
        gapless = numbers == list(range(numbers[0], numbers[0] + clients))
        show(f"issueCreate, {clients} at once, wall each", each, f"unique and gapless: {gapless}")
    await workspace.client.aclose()
    workspace.service.close()


if __name__ == "__main__":
    asyncio.run(main())
