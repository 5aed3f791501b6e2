"""Classifications, and what skills find out: metadata with templates of Box's own."""

from __future__ import annotations

from .conftest import Box

TEMPLATE = "metadata_templates/enterprise/securityClassification-6VMVochwUWo/schema"
KEY = "Box__Security__Classification__Key"


def classified(box: Box) -> None:
    """Make the template of classifications as the console does, with none in it."""
    field = {"type": "enum", "key": KEY, "displayName": "Classification", "hidden": False, "options": []}
    about = {"scope": "enterprise", "templateKey": TEMPLATE.split("/")[2], "displayName": "Classification"}
    box("POST", "metadata_templates/schema", {**about, "fields": [field]})


def defined(name: str, color: int) -> dict[str, object]:
    classification = {"colorID": color, "classificationDefinition": f"What is {name}"}
    return {"key": name, "staticConfig": {"classification": classification}}


def test_a_classification_keeps_its_color_and_definition(box: Box):
    classified(box)
    shown = box("PUT", TEMPLATE, [{"op": "addEnumOption", "fieldKey": KEY, "data": defined("Secret", 3)}])
    assert shown["fields"][0]["options"][0].items() >= defined("Secret", 3).items()
    changed = {"op": "editEnumOption", "fieldKey": KEY, "enumOptionKey": "Secret", "data": defined("Top secret", 2)}
    assert box("PUT", TEMPLATE, [changed])["fields"][0]["options"][0].items() >= defined("Top secret", 2).items()


def test_a_file_is_classified(box: Box):
    classified(box)
    box("PUT", TEMPLATE, [{"op": "addEnumOption", "fieldKey": KEY, "data": defined("Secret", 3)}])
    path = f"files/{box.upload()['id']}/metadata/enterprise/securityClassification-6VMVochwUWo"
    assert box("POST", path, {KEY: "Secret"})[KEY] == "Secret"
    assert box.refused("PUT", path, [{"op": "replace", "path": f"/{KEY}", "value": "Open"}])[0] == 400


def test_a_field_is_added_under_the_key_beside_its_data(box: Box):
    classified(box)
    added = {"op": "addField", "fieldKey": "note", "data": {"type": "string", "displayName": "Note"}}
    assert box("PUT", TEMPLATE, [added])["fields"][-1]["key"] == "note"


def test_options_that_are_none_are_refused(box: Box):
    classified(box)
    data = {"type": "enum", "key": "level", "displayName": "Level"}
    for options in (5, ["high"], [{}]):
        assert box.refused("PUT", TEMPLATE, [{"op": "addField", "data": {**data, "options": options}}])[0] == 400


def test_skill_cards_are_kept_and_replaced_one_by_one(box: Box):
    path = f"files/{box.upload()['id']}/metadata/global/boxSkillsCards"
    box("POST", path, {"cards": [{"type": "skill_card", "entries": []}, {"type": "skill_card"}]})
    new = {"type": "skill_card", "entries": [{"text": "DN86 BOX"}]}
    assert box("PUT", path, [{"op": "replace", "path": "/cards/0", "value": new}])["cards"][0] == new
    assert len(box("PUT", path, [{"op": "remove", "path": "/cards/1"}])["cards"]) == 1
    assert len(box("PUT", path, [{"op": "add", "path": "/cards/-", "value": new}])["cards"]) == 2
    assert box.refused("PUT", path, [{"op": "replace", "path": "/cards/7", "value": new}]) == (400, "bad_request")


def test_global_templates_come_in_pages(box: Box):
    first = box("GET", "metadata_templates/global", params={"limit": 1})
    second = box("GET", "metadata_templates/global", params={"limit": 1, "marker": first["next_marker"]})
    assert [page["entries"][0]["templateKey"] for page in (first, second)] == ["properties", "boxSkillsCards"]
