"""What Linear's published schema says an operation refuses, beside the rules of single inputs."""

from __future__ import annotations

import pytest

from .conftest import ENG, SARAH

PAST, LATER, FUTURE = "2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z", "2100-01-01T00:00:00Z"


@pytest.fixture
def admin(linear):
    """An administrator of a fresh workspace."""
    return linear.as_user(SARAH)


@pytest.fixture
def refused(admin):
    """Whether a create or update with these values is refused."""

    def refuse(entity, key=None, **given):
        kind, verb = entity[:1].upper() + entity[1:], "Update" if key else "Create"
        by = f'id: "{key}", ' if key else ""
        query = f"mutation($i: {kind}{verb}Input!) {{ {entity}{verb}({by}input: $i) {{ success }} }}"
        return "errors" in admin.ask(query, i=given)

    return refuse


def test_the_main_source_of_a_customer_is_one_of_its_external_ids(admin, refused):
    assert refused("customer", name="A", externalIds=["crm-1"], mainSourceId="crm-2")
    assert not refused("customer", name="A", externalIds=["crm-1"], mainSourceId="crm-1")
    key = admin.create("customer", name="B", externalIds=["crm-3"])["id"]
    assert refused("customer", key, mainSourceId="crm-1")
    assert not refused("customer", key, mainSourceId="crm-3")


def test_the_domains_of_a_customer_are_its_own_and_not_public(refused):
    assert refused("customer", name="A", domains=["gmail.com"])
    assert not refused("customer", name="A", domains=["acme.com"])
    assert refused("customer", name="B", domains=["ACME.com"])


@pytest.mark.parametrize(
    ("times", "is_refused"),
    [
        ({"createdAt": PAST, "startedAt": LATER}, False),
        ({"createdAt": FUTURE}, True),
        ({"startedAt": FUTURE}, True),
        ({"createdAt": LATER, "startedAt": PAST}, True),
        ({"createdAt": LATER, "completedAt": PAST}, True),
    ],
)
def test_a_release_from_elsewhere_has_times_in_the_past_and_in_order(admin, refused, times, is_refused):
    pipeline = admin.create("releasePipeline", name="Robots")["id"]
    assert refused("release", name="1.0", pipelineId=pipeline, **times) is is_refused


@pytest.mark.parametrize(("kind", "is_refused"), [("fibonacci", False), ("inches", True)])
def test_estimates_are_of_a_type_that_there_is(refused, kind, is_refused):
    assert refused("team", ENG, issueEstimationType=kind) is is_refused
    assert refused("team", name="New", issueEstimationType=kind) is is_refused


def test_a_template_of_release_notes_is_the_only_one_of_its_pipeline(admin, refused):
    pipeline = admin.create("releasePipeline", name="Robots")["id"]
    note = {"name": "N", "type": "releaseNote", "templateData": {}}
    assert refused("template", **note)
    assert refused("template", **{**note, "type": "issue"}, pipelineId=pipeline)
    assert not refused("template", **note, pipelineId=pipeline)
    assert refused("template", **note, pipelineId=pipeline)


def test_a_status_of_customers_in_use_and_the_last_one_stay(admin):
    query = "mutation($i: CustomerStatusCreateInput!) { customerStatusCreate(input: $i) { status { id } } }"
    first, second = (
        admin(query, i={"name": name, "color": "#ff0000"})["customerStatusCreate"]["status"]["id"]
        for name in ("one", "two")
    )
    admin.create("customer", name="A", statusId=first)
    delete = "mutation($id: String!) { customerStatusDelete(id: $id) { success } }"
    assert "errors" in admin.ask(delete, id=first)
    assert admin(delete, id=second)
    assert "errors" in admin.ask(delete, id=first)


def test_a_tier_of_customers_in_use_stays_and_has_a_name_of_its_own(admin, refused):
    query = "mutation($i: CustomerTierCreateInput!) { customerTierCreate(input: $i) { tier { id } } }"
    tier = admin(query, i={"name": "gold", "color": "#ff0000"})["customerTierCreate"]["tier"]["id"]
    assert refused("customerTier", name="Gold", color="#ff0000")
    admin.create("customer", name="A", tierId=tier)
    assert "errors" in admin.ask("mutation($id: String!) { customerTierDelete(id: $id) { success } }", id=tier)


@pytest.mark.parametrize("entity", ["issueLabel", "projectLabel", "initiativeLabel"])
def test_a_retired_label_is_not_put_on_anything_new(admin, refused, entity):
    label = admin.create(entity, name="Old")["id"]
    admin(f'mutation {{ {entity}Retire(id: "{label}") {{ success }} }}')
    given = {
        "issueLabel": {"teamId": ENG, "title": "x"},
        "projectLabel": {"teamIds": [ENG], "name": "x"},
        "initiativeLabel": {"name": "x"},
    }
    assert refused(entity.removesuffix("Label"), labelIds=[label], **given[entity])


def test_initiatives_are_not_below_themselves(admin, refused):
    above, below = (admin.create("initiative", name=name)["id"] for name in ("Above", "Below"))
    assert not refused("initiativeRelation", initiativeId=above, relatedInitiativeId=below)
    assert refused("initiativeRelation", initiativeId=below, relatedInitiativeId=above)
    assert refused("initiativeRelation", initiativeId=above, relatedInitiativeId=above)


def test_a_status_of_projects_in_use_and_the_last_of_its_type_stay(admin):
    statuses = admin("{ projectStatuses { nodes { id type } } }")["projectStatuses"]["nodes"]
    started = next(each["id"] for each in statuses if each["type"] == "started")
    archive = "mutation($id: String!) { projectStatusArchive(id: $id) { success } }"
    assert "errors" in admin.ask(archive, id=started)
    query = "mutation($i: ProjectStatusCreateInput!) { projectStatusCreate(input: $i) { status { id } } }"
    given = {"name": "Going", "color": "#ff0000", "type": "started", "position": 9}
    other = admin(query, i=given)["projectStatusCreate"]["status"]["id"]
    admin.create("project", name="P", teamIds=[ENG], statusId=other)
    assert "errors" in admin.ask(archive, id=other)
    assert admin(archive, id=started)


def test_notifications_are_of_one_thing_at_a_time(linear):
    query = "mutation($i: NotificationEntityInput!) { notificationArchiveAll(input: $i) { success } }"
    issue = linear('{ issue(id: "ENG-1") { id } }')["issue"]["id"]
    assert "errors" in linear.ask(query, i={})
    assert "errors" in linear.ask(query, i={"issueId": issue, "projectId": issue})


def test_hours_of_delivery_end_after_they_begin(linear):
    settings = linear("{ userSettings { id } }")["userSettings"]["id"]
    query = (
        "mutation($id: String!, $i: UserSettingsUpdateInput!) { userSettingsUpdate(id: $id, input: $i) { success } }"
    )
    for start, end, is_refused in (("09:00", "17:00", False), ("17:00", "09:00", True), ("9", "17:00", True)):
        days = {"schedule": {day: {"start": start, "end": end} for day in DAYS}}
        answer = linear.ask(query, id=settings, i={"notificationDeliveryPreferences": {"mobile": days}})
        assert ("errors" in answer) is is_refused, (start, end)


DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@pytest.mark.parametrize(("count", "is_refused"), [(50, False), (51, True)])
def test_a_batch_has_fifty_issues(linear, count, is_refused):
    query = "mutation($i: IssueBatchCreateInput!) { issueBatchCreate(input: $i) { success } }"
    answer = linear.ask(query, i={"issues": [{"teamId": ENG, "title": "x"}] * count})
    assert ("errors" in answer) is is_refused
