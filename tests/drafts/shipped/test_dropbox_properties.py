"""Tags, properties and settings of a Dropbox, called over HTTP."""

import json
from typing import Any

import httpx
import pytest

from .conftest import Connect

FILE = "/rye.txt"


@pytest.fixture
def dropbox(connect: Connect) -> httpx.Client:
    client = connect("dropbox", "https://api.dropboxapi.com/2")
    headers = {"Dropbox-API-Arg": json.dumps({"path": FILE}), "Content-Type": "application/octet-stream"}
    client.post("https://content.dropboxapi.com/2/files/upload", content=b"flour", headers=headers)
    return client


def ask(dropbox: httpx.Client, endpoint: str, /, **body: Any) -> Any:
    answer = dropbox.post(endpoint, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_file_has_tags_in_lower_case(dropbox: httpx.Client):
    ask(dropbox, "/files/tags/add", path=FILE, tag_text="Flour")
    ask(dropbox, "/files/tags/add", path=FILE, tag_text="flour")
    (of,) = ask(dropbox, "/files/tags/get", paths=[FILE])["paths_to_tags"]
    assert of == {"path": FILE, "tags": [{".tag": "user_generated_tag", "tag_text": "flour"}]}
    ask(dropbox, "/files/tags/remove", path=FILE, tag_text="flour")
    assert ask(dropbox, "/files/tags/get", paths=[FILE])["paths_to_tags"][0]["tags"] == []


def add_template(dropbox: httpx.Client) -> str:
    fields = [{"name": "state", "description": "", "type": "string"}]
    made = ask(dropbox, "/file_properties/templates/add_for_user", name="Flow", description="", fields=fields)
    return made["template_id"]


def test_a_file_has_properties_of_a_template(dropbox: httpx.Client):
    id = add_template(dropbox)
    group = {"template_id": id, "fields": [{"name": "state", "value": "Draft"}]}
    ask(dropbox, "/file_properties/properties/add", path=FILE, property_groups=[group])
    queries = [{"query": "draft", "mode": {".tag": "field_name", "field_name": "state"}}]
    assert ask(dropbox, "/file_properties/properties/search", queries=queries)["matches"][0]["property_groups"] == [
        group
    ]
    changes = [{"template_id": id, "add_or_update_fields": [{"name": "state", "value": "Final"}]}]
    ask(dropbox, "/file_properties/properties/update", path=FILE, update_property_groups=changes)
    assert ask(dropbox, "/file_properties/properties/search", queries=queries)["matches"] == []
    ask(dropbox, "/file_properties/properties/overwrite", path=FILE, property_groups=[group])
    ask(dropbox, "/file_properties/properties/remove", path=FILE, property_template_ids=[id])
    refused = dropbox.post("/file_properties/properties/remove", json={"path": FILE, "property_template_ids": [id]})
    assert refused.json()["error_summary"] == "property_group_lookup/other/..."


def test_properties_go_with_their_template_and_their_file(dropbox: httpx.Client):
    id = add_template(dropbox)
    more = [{"name": "by", "description": "", "type": "string"}]
    ask(dropbox, "/file_properties/templates/update_for_user", template_id=id, name="Way", add_fields=more)
    shown = ask(dropbox, "/file_properties/templates/get_for_user", template_id=id)
    assert (shown["name"], [each["name"] for each in shown["fields"]]) == ("Way", ["state", "by"])
    group = {"template_id": id, "fields": [{"name": "by", "value": "Ada"}]}
    ask(dropbox, "/file_properties/properties/add", path=FILE, property_groups=[group])
    ask(dropbox, "/files/delete_v2", path=FILE)
    assert ask(dropbox, "/file_properties/properties/search", queries=[{"query": "ada"}])["matches"] == []
    ask(dropbox, "/file_properties/templates/remove_for_user", template_id=id)
    assert dropbox.post("/file_properties/templates/list_for_user").json() == {"template_ids": []}


def test_features_claims_and_older_searches_are_answered(dropbox: httpx.Client):
    values = ask(dropbox, "/users/features/get_values", features=[{".tag": "paper_as_files"}])["values"]
    assert values[0]["paper_as_files"] == {".tag": "enabled", "enabled": True}
    assert ask(dropbox, "/openid/userinfo")["iss"] == "https://www.dropbox.com"
    found = ask(dropbox, "/files/search", path="", query="rye")
    assert ([each["metadata"]["name"] for each in found["matches"]], found["more"]) == (["rye.txt"], False)
    assert ask(dropbox, "/files/alpha/get_metadata", path=FILE)["name"] == "rye.txt"
    assert dropbox.post("/contacts/delete_manual_contacts").json() is None


def test_files_and_members_are_read_in_batches(dropbox: httpx.Client):
    (known, unknown) = ask(dropbox, "/sharing/get_file_metadata/batch", files=[FILE, "/none"])
    assert (known["result"]["name"], unknown["result"][".tag"]) == ("rye.txt", "access_error")
    (known, unknown) = ask(dropbox, "/sharing/list_file_members/batch", files=[FILE, "/none"])
    assert (known["result"]["member_count"], unknown["result"][".tag"]) == (1, "access_error")


@pytest.mark.parametrize(
    ("path", "body", "summary"),
    [
        ("/files/tags/add", {"path": "/none", "tag_text": "x"}, "path/not_found"),
        ("/files/tags/add", {"path": FILE, "tag_text": "a b"}, "other"),
        ("/files/tags/remove", {"path": FILE, "tag_text": "x"}, "tag_not_present"),
        ("/file_properties/templates/get_for_user", {"template_id": "ptid:x"}, "template_not_found"),
        ("/file_properties/properties/add", {"path": FILE, "property_groups": [{"template_id": "ptid:x"}]},
         "template_not_found"),
        ("/users/features/get_values", {"features": []}, "empty_features_list"),
        ("/contacts/delete_manual_contacts_batch", {"email_addresses": ["a@b.c"]}, "contacts_not_found"),
        ("/files/export", {"path": FILE}, "non_exportable"),
        ("/sharing/list_folders/continue", {"cursor": "x"}, "invalid_cursor"),
        ("/files/search", {"path": "/none", "query": "x"}, "path/not_found"),
    ],
)  # fmt: skip
def test_what_is_wrong_or_unknown_is_refused_by_tags(
    dropbox: httpx.Client, path: str, body: dict[str, Any], summary: str
):
    refused = dropbox.post(path, json=body)
    assert (refused.status_code, refused.json().get("error_summary")) == (409, f"{summary}/..."), refused.text
