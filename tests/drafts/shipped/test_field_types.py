"""Values of another type than their field's are refused by each vendor in its own shape, on creation and update."""

from typing import Any

import httpx
import pytest

from twindiff.drafts.shipped.document_fields import read_field_types

from .conftest import Connect

HOSTS = {
    "gitlab": "https://gitlab.com/api/v4",
    "hubspot": "https://api.hubapi.com",
    "shopify": "https://acme.myshopify.com/admin/api/2025-01",
    "zendesk": "https://acme.zendesk.com/api/v2",
    "intercom": "https://api.intercom.io",
    "mailchimp": "https://us1.api.mailchimp.com/3.0",
    "pipedrive": "https://api.pipedrive.com",
    "close": "https://api.close.com/api/v1",
    "jira": "https://acme.atlassian.net/rest/api/3",
}
STORE = {"id": "S", "list_id": "l", "name": "N", "currency_code": "USD"}
TRIGGER = {"title": "T", "conditions": {"all": []}, "actions": []}
CASES: list[tuple[str, str, str, str, dict[str, Any], str, dict[str, Any], int, str]] = [
    ("gitlab", "/topics", "", "PUT", {"name": "a", "title": "A"}, "/{id}", {"title": []}, 400, "title is invalid"),
    ("gitlab", "/snippets", "", "PUT", {"title": "A"}, "/{id}", {"visibility": "secret"}, 400,
     "visibility does not have a valid value"),
    ("gitlab", "/hooks", "", "PUT", {"url": "https://a"}, "/{id}", {"push_events": "maybe"}, 400, "push_events is"),
    ("hubspot", "/marketing/v3/forms", "", "PATCH", {"name": "F", "formType": "hubspot"}, "/{id}",
     {"formType": "other"}, 400, "formType"),
    ("hubspot", "/forms/v2/forms", "", "PUT", {"name": "F"}, "/{guid}", {"formFieldGroups": {}}, 400, "formFieldG"),
    ("shopify", "/pages", "page", "PUT", {"title": "A"}, "/{id}", {"title": {}}, 422, '"title":["must be a text"]'),
    ("shopify", "/blogs", "blog", "PUT", {"title": "A"}, "/{id}", {"commentable": "x"}, 422, "not included in the"),
    ("zendesk", "/triggers", "trigger", "PUT", TRIGGER, "/{id}", {"actions": {}}, 422, "InvalidValue"),
    ("zendesk", "/macros", "macro", "PUT", {"title": "T", "actions": [1]}, "/{id}", {"active": "so"}, 422, "Active: "),
    ("intercom", "/articles", "", "PUT", {"title": "A", "author_id": 5}, "/{id}", {"state": "live"}, 400,
     "parameter_invalid"),
    ("mailchimp", "/ecommerce/stores", "", "PATCH", STORE, "/{id}", {"name": 5}, 400,
     "name: Schema describes string, integer found instead"),
    ("pipedrive", "/v1/tasks", "", "PUT", {"title": "T", "project_id": 1}, "/{id}", {"due_date": "soon"}, 400,
     "due_date: must be a date"),
    ("close", "/webhook/", "", "PUT", {"url": "https://a.test", "events": [{}]}, "{id}/", {"status": "off"}, 400,
     "This field must be one of: active, paused."),
    ("jira", "/projectCategory", "", "PUT", {"name": "C"}, "/{id}", {"name": []}, 400, "The value must be a string."),
]  # fmt: skip


@pytest.mark.parametrize(("draft", "path", "word", "verb", "body", "item", "bad", "status", "said"), CASES)
def test_a_value_of_another_type_is_refused(
    connect: Connect,
    draft: str,
    path: str,
    word: str,
    verb: str,
    body: dict[str, Any],
    item: str,
    bad: dict[str, Any],
    status: int,
    said: str,
):
    client, suffix = connect(draft, HOSTS[draft]), ".json" if draft == "shopify" else ""
    answer = client.post(path + suffix, json={word: body} if word else body).json()
    made = answer.get("data", answer)[word] if word else answer.get("data", answer)
    changed = client.request(verb, path + item.format(**made) + suffix, json={word: bad} if word else bad)
    assert (changed.status_code, said in changed.text) == (status, True), changed.text
    other = {**body, **bad, **({"id": "T"} if draft == "mailchimp" else {})}
    if draft != "jira":
        created = client.post(path + suffix, json={word: other} if word else other)
        assert (created.status_code, said in created.text) == (status, True), created.text


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("integer", "5", 5), ("integer", "-5", -5), ("number", "2.5", 2.5), ("boolean", "false", False),
        ("boolean", 1, True), ("text", 5, "5"), ("time", "", None), ("date", "2026-01-31", "2026-01-31"),
        ("time", "2026-01-31T09:30:00+01:00", "2026-01-31T09:30:00+01:00"), ("integer", None, None),
    ],
)  # fmt: skip
def test_forms_give_numbers_and_flags_as_texts(kind: str, text: Any, value: Any):
    assert read_field_types(f"field: {kind}")["field"].convert(text, is_lenient=True) == value


def test_lists_of_gitlab_say_their_pages_in_headers(connect: Connect):
    gitlab = connect("gitlab", HOSTS["gitlab"])
    names = [gitlab.post("/topics", json={"name": each, "title": each}).json()["name"] for each in "abc"]
    page = gitlab.get("/topics", params={"per_page": 2, "page": 2})
    counts = [page.headers[name] for name in ("x-total", "x-total-pages", "x-page", "x-next-page", "x-prev-page")]
    assert (counts, [each["name"] for each in page.json()]) == (["3", "2", "2", "", "1"], names[2:])
    assert gitlab.get(page.links["prev"]["url"]).json()[0]["name"] == "a"
    ordered = gitlab.get("/topics", params={"order_by": "name", "sort": "desc"}).json()
    assert [each["name"] for each in ordered] == ["c", "b", "a"]
    assert [each["name"] for each in gitlab.get("/topics", params={"search": "B"}).json()] == ["b"]
    assert gitlab.get("/topics", params={"page": "x"}).status_code == 400


def test_an_object_of_one_project_is_not_found_in_another(connect: Connect):
    gitlab = connect("gitlab", HOSTS["gitlab"])
    ids = [gitlab.post("/projects", json={"name": each}).json()["id"] for each in ("bread", "cake")]
    snippet = gitlab.post(f"/projects/{ids[0]}/snippets", json={"title": "S"}).json()["id"]
    assert [gitlab.get(f"/projects/{each}/snippets/{snippet}").status_code for each in ids] == [200, 404]


def test_environments_are_listed_by_state(connect: Connect):
    gitlab = connect("gitlab", HOSTS["gitlab"])
    path = f"/projects/{gitlab.post('/projects', json={'name': 'bread'}).json()['id']}/environments"
    gitlab.post(path, json={"name": "production"})
    assert [len(gitlab.get(path, params={"states": each}).json()) for each in ("available", "stopped")] == [1, 0]


def test_discount_codes_are_removed_with_their_rule_and_pages_bounded_by_time(connect: Connect):
    shopify: httpx.Client = connect("shopify", HOSTS["shopify"])
    blog = shopify.post("/blogs.json", json={"blog": {"title": "News"}}).json()["blog"]
    path = f"/blogs/{blog['id']}/articles.json"
    shopify.post(path, json={"article": {"title": "Rye"}})
    for bound, count in (("2026-03-01T00:00:00Z", 1), ("2027-01-01", 0)):
        assert len(shopify.get(path, params={"created_at_min": bound}).json()["articles"]) == count
    assert shopify.get(path, params={"tag": "x"}).status_code == 501
    assert shopify.get("/blogs/count.json", params={"handle": "other"}).json() == {"count": 0}
    shopify.delete(f"/blogs/{blog['id']}.json")
    assert shopify.get(path).status_code == 404
