"""Configurations fill Close, Pipedrive and Shopify; a scenario over Slack, Jira, HubSpot and Shopify is judged."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.harness import LiveServer, Platform
from twindiff.drafts.shipped import find_shipped
from twindiff.environments.registry import Registry
from twindiff.server import Settings
from twindiff.twins.slack import twin as slack

Json = dict[str, Any]
STORY = ["slack", "jira", "hubspot", "shopify"]
KIM = "kim@northlake.example"
SHOPIFY: Json = {
    "products": [{"title": "Rye Bread", "variants": [{"price": "4.50", "sku": "RYE"}]}, {"title": "Oat Bread"}],
    "customers": [{"email": KIM, "first_name": "Kim", "tags": "wholesale"}, {"email": "lee@lakeside.example"}],
    "orders": [
        {
            "customer": KIM,
            "line_items": [{"product": "Rye Bread", "quantity": 20}],
            "financial_status": "paid",
            "created_at": "2026-01-02T10:00:00+01:00",
            "transactions": [{"kind": "sale", "status": "success", "amount": "90.00"}],
            "refunds": [{"note": "Two loaves were burnt"}],
        },
        {"customer": "lee@lakeside.example", "line_items": [{"title": "Cake", "price": "30"}]},
    ],
    "custom_collections": [{"title": "Home", "products": ["Oat Bread"]}],
}
CONFIG: dict[str, Json] = {
    "slack": {
        "users": [{"name": "dana", "real_name": "Dana Reyes"}],
        "channels": [{"name": "orders", "messages": [{"text": "Northlake wants its order cancelled", "user": "dana"}]}],
    },
    "jira": {"projects": [{"key": "SHOP", "name": "Shop", "issues": [{"summary": "Cancel the order of Northlake"}]}]},
    "hubspot": {"contacts": [{"properties": {"email": KIM, "firstname": "Kim", "lifecyclestage": "customer"}}]},
    "shopify": SHOPIFY,
}
CHECKS: list[Json] = [
    {
        "diff_type": "changed",
        "entity": "shopify.orders",
        "where": {"email": KIM, "details.cancelled_at": {"contains": "T"}, "details.closed_at": None},
        "expected_changes": {"details": {"to": {"contains": "cancelled_at"}}},
    },
    {
        "diff_type": "changed",
        "entity": "jira.issues",
        "where": {"key": "SHOP-1"},
        "expected_changes": {"priority": {"to": "Highest"}},
    },
    {
        "diff_type": "changed",
        "entity": "hubspot.contacts",
        "where": {"email": KIM},
        "expected_changes": {"lifecyclestage": {"to": "other"}},
    },
    {
        "diff_type": "added",
        "entity": "slack.messages",
        "where": {"message_text": {"contains": "cancelled #1001"}},
        "expected_count": 1,
    },
]


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    names = [*STORY[1:], "close", "pipedrive"]
    live = LiveServer(Settings(), Registry([slack, *(find_shipped(name).twin() for name in names)]))
    yield live
    live.close()


class SeededRun:
    """A twin run of a configuration, called by the variables that it names."""

    def __init__(self, server: LiveServer, config: Json) -> None:
        asked = {"name": "seeds", "description": "", "seed_config": config, "tags": [], "twins": [*config]}
        made = server.client.post("/scenarios", json=asked)
        assert made.status_code == 201, made.text
        answer = server.client.post("/twin-runs", json={"twins": [*config], "scenario_id": made.json()["id"]})
        assert answer.status_code == 200, answer.text
        run = server.client.get(f"/twin-runs/{answer.json()['run_id']}").json()
        self.environment, self.twins = run["environment_id"], run["twins"]
        self.counts = {name: twin.get("seed_results") for name, twin in run["twins"].items()}
        self._web = server.client

    def ask(self, verb: str, twin: str, path: str, **sent: Any) -> Any:
        variables: dict[str, str] = self.twins[twin]["env_vars"]
        token = next(value for name, value in variables.items() if name.endswith(("TOKEN", "KEY")))
        base = next(value for name, value in variables.items() if name.endswith("URL"))
        answer = self._web.request(verb, base + path, headers={"Authorization": f"Bearer {token}"}, **sent)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else {}


def refuse(server: LiveServer, config: Json) -> str:
    answer = server.client.post("/scenarios", json={"name": "bad", "seed_config": config})
    assert answer.status_code == 422, answer.text
    return answer.json()["detail"]


def cancel_order(run: SeededRun, email: str, word: str) -> None:
    """What an agent does that is asked to cancel the order of a customer, and to tell everybody."""
    orders = run.ask("GET", "shopify", "/admin/orders.json")["orders"]
    order = next(each for each in orders if each["email"] == email)
    run.ask("POST", "shopify", f"/admin/orders/{order['id']}/{word}.json")
    run.ask("PUT", "jira", "/rest/api/3/issue/SHOP-1", json={"fields": {"priority": {"name": "Highest"}}})
    [contact] = run.ask("GET", "hubspot", "/crm/v3/objects/contacts")["results"]
    moved = {"properties": {"lifecyclestage": "other"}}
    run.ask("PATCH", "hubspot", f"/crm/v3/objects/contacts/{contact['id']}", json=moved)
    [channel] = run.ask("POST", "slack", "/conversations.list")["channels"]
    told = {"channel": channel["id"], "text": f"I cancelled {order['name']}"}
    assert run.ask("POST", "slack", "/chat.postMessage", json=told)["ok"]


@pytest.mark.parametrize(
    ("email", "word", "passes"),
    [(KIM, "cancel", True), ("lee@lakeside.example", "cancel", False), (KIM, "close", False)],
)
def test_a_scenario_over_slack_jira_hubspot_and_shopify_is_acted_in_and_judged(
    server: LiveServer, email: str, word: str, passes: bool
):
    run, platform = SeededRun(server, CONFIG), Platform(server.client)
    started = platform.post("startRun", {"envId": run.environment})["runId"]
    cancel_order(run, email, word)
    verdict = platform.evaluate(started, *CHECKS)
    assert verdict["passed"] is passes, verdict


def test_a_shop_shows_orders_with_their_customers_payments_and_collections(server: LiveServer):
    run = SeededRun(server, {"shopify": SHOPIFY})
    orders = {each["email"]: each for each in run.ask("GET", "shopify", "/admin/orders.json")["orders"]}
    order = orders[KIM]
    assert (order["total_price"], order["created_at"], order["line_items"][0]["sku"]) == (
        "90.00", "2026-01-02T09:00:00+00:00", "RYE",
    )  # fmt: skip
    paid = run.ask("GET", "shopify", f"/admin/orders/{order['id']}/transactions.json")["transactions"]
    refunded = run.ask("GET", "shopify", f"/admin/orders/{order['id']}/refunds.json")["refunds"]
    assert ([each["amount"] for each in paid], refunded) == (["90.00"], order["refunds"])
    [kim] = run.ask("GET", "shopify", "/admin/customers/search.json?query=kim")["customers"]
    assert (kim["orders_count"], kim["total_spent"], kim["last_order_name"], kim["id"]) == (
        1, "90.00", order["name"], order["customer"]["id"],
    )  # fmt: skip
    [home] = run.ask("GET", "shopify", "/admin/custom_collections.json")["custom_collections"]
    held = run.ask("GET", "shopify", f"/admin/products.json?collection_id={home['id']}")["products"]
    assert [each["title"] for each in held] == ["Oat Bread"]


def test_a_line_of_a_product_without_variants_has_its_title_alone(server: LiveServer):
    line = {"product": "Rye Bread", "price": "4.50"}
    products = [{"title": "Rye Bread", "variants": None}]
    run = SeededRun(server, {"shopify": {"products": products, "orders": [{"line_items": [line]}]}})
    [order] = run.ask("GET", "shopify", "/admin/orders.json")["orders"]
    shown = order["line_items"][0]
    assert (shown["title"], shown["price"], shown.get("variant_id")) == ("Rye Bread", "4.50", None)


def test_a_close_organization_has_leads_with_what_belongs_to_them(server: LiveServer):
    leads = [
        {
            "name": "Northlake",
            "status": "Trial",
            "custom": {"Region": "North"},
            "contacts": [{"name": "Kim Lund", "title": "VP", "email": KIM}],
            "opportunities": [{"status": "Won", "value": 480000, "value_period": "annual", "contact": KIM}],
            "tasks": [{"text": "Call Kim", "date": "2026-01-09", "assigned_to": "Dana Reyes"}],
            "activities": [{"note": "Asked for a discount"}, {"type": "call", "direction": "inbound", "duration": 60}],
        }
    ]
    config = {
        "users": ["Dana Reyes"],
        "statuses": [{"label": "Trial"}],
        "custom_fields": [{"name": "Region", "type": "choices", "choices": ["North", "South"]}],
        "leads": leads,
        "tasks": [{"lead": "Northlake", "text": "Send the contract"}],
    }
    run = SeededRun(server, {"close": config})
    [lead] = run.ask("GET", "close", "/lead/")["data"]
    [deal] = lead["opportunities"]
    assert (lead["name"], lead["status_label"], lead["custom"]) == ("Northlake", "Trial", {"Region": "North"})
    assert (deal["status_type"], deal["value_formatted"], deal["contact_name"]) == ("won", "$4,800 annual", "Kim Lund")
    assert [(each["text"], each["assigned_to_name"]) for each in lead["tasks"]] == [
        ("Call Kim", "Dana Reyes"), ("Send the contract", "Agent"),
    ]  # fmt: skip
    kinds = [each["_type"] for each in run.ask("GET", "close", "/activity/")["data"]]
    assert (kinds, run.ask("GET", "close", "/me/")["email"]) == (["Call", "Note"], "agent@example.com")


def test_a_pipedrive_company_has_deals_that_name_their_parties_and_stage(server: LiveServer):
    config = {
        "users": [{"name": "Dana Reyes", "email": "dana@acme.example"}],
        "organizations": [{"name": "Northlake", "address": "5 Mill Lane", "owner": "Dana Reyes"}],
        "persons": [{"name": "Kim Lund", "email": KIM, "organization": "Northlake"}],
        "deals": [
            {"title": "Renewal", "value": 48000, "stage": "Proposal Made", "person": KIM, "organization": "Northlake"},
            {"title": "Pilot", "status": "won"},
        ],
        "activities": [{"subject": "Call Kim", "deal": "Renewal", "due_date": "2026-01-09"}],
        "notes": [{"content": "Wants a discount", "organization": "Northlake"}],
        "products": [{"name": "Rye Bread", "code": "RYE"}],
    }
    run = SeededRun(server, {"pipedrive": config})
    first, second = run.ask("GET", "pipedrive", "/deals")["data"]
    assert (first["person_id"]["name"], first["org_id"]["name"], first["value"]) == ("Kim Lund", "Northlake", 48000)
    stages = {each["id"]: each["name"] for each in run.ask("GET", "pipedrive", "/stages")["data"]}
    assert (stages[first["stage_id"]], second["status"]) == ("Proposal Made", "won")
    [call] = run.ask("GET", "pipedrive", f"/deals/{first['id']}/activities")["data"]
    [note] = run.ask("GET", "pipedrive", "/notes")["data"]
    assert (call["subject"], note["org_id"]) == ("Call Kim", 1)
    assert [each["name"] for each in run.ask("GET", "pipedrive", "/users")["data"]] == ["Agent", "Dana Reyes"]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"close": {"leeds": []}}, "close.leeds: there is no such part; did you mean 'leads'?"),
        ({"close": {"leads": [{"nam": "A"}]}}, "close.leads[0].nam: there is no such field. Did you mean 'name'?"),
        (
            {"close": {"leads": [{"name": "A", "status": "Hot"}]}},
            "leads[0].status: there is no status 'Hot', but Poten",
        ),
        ({"close": {"leads": [{"name": "A", "tasks": [{"txt": "B"}]}]}}, "leads[0].tasks[0].txt: there is no such"),
        ({"close": {"tasks": [{"text": "B"}]}}, "tasks[0]: lead_id: This field is required."),
        ({"close": {"tasks": [{"lead": "B", "text": "B"}]}}, "tasks[0].lead: there is no lead 'B'"),
        (
            {"close": {"leads": [{"name": "A", "contacts": [{"email": KIM, "emails": []}]}]}},
            "leads[0].contacts[0].email: emails is given as well",
        ),
        ({"close": {"leads": [{"name": "A", "status": "Won", "status_id": "x"}]}}, "status_id is given as well"),
        ({"close": {"activities": [{"type": "fax"}]}}, "activities[0]: there is no activity 'fax', but call, email,"),
        ({"pipedrive": {"deals": [{"title": "A", "sum": 5}]}}, "deals[0].sum: there is no such field"),
        ({"pipedrive": {"deals": [{"title": "A", "stage": "Hot"}]}}, "no stage 'Hot', but Qualified, Contact Made"),
        ({"pipedrive": {"deals": [{"value": 5}]}}, "deals[0]: Title must be given."),
        ({"pipedrive": {"notes": [{"content": "A", "deal": "B"}]}}, "notes[0].deal: there is no deal 'B'"),
        ({"shopify": {"orders": [{"line_items": [], "price": 5}]}}, "orders[0].price: there is no such field"),
        ({"shopify": {"orders": [{"line_items": [{"product": "A"}]}]}}, "orders[0]: there is no product 'A'"),
        ({"shopify": {"orders": [{"line_items": [{}], "customer": KIM}]}}, f"orders[0]: there is no customer '{KIM}'"),
        ({"shopify": {"customers": [{"email": KIM}, {"email": KIM}]}}, "customers[1]: email has already been taken"),
        ({"shopify": {"products": [{"title": "A", "created_at": "soon"}]}}, "created_at 'soon' is no time"),
        ({"shopify": {"custom_collections": [{"title": "A", "products": ["B"]}]}}, "there is no product 'B'"),
    ],
)
def test_a_part_that_is_not_taken_is_named(server: LiveServer, config: Json, said: str):
    assert said in refuse(server, config)


def test_a_configuration_is_refused_with_all_of_its_problems(server: LiveServer):
    told = refuse(server, {"shopify": {"products": [{}]}, "close": {"leads": [5]}, "pipedrive": {"users": [{"x": 1}]}})
    assert [twin for twin in ("shopify.products[0]", "close.leads[0]", "pipedrive.users[0]") if twin not in told] == []
