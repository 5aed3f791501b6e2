"""What the handlers of HubSpot do, called over HTTP."""

from typing import Any

import httpx
import pytest

from twindiff.drafts.shipped import find_shipped
from twindiff.local import Twindiff

from .conftest import Connect


@pytest.fixture
def hubspot(connect: Connect) -> httpx.Client:
    """An account with two contacts, a company and a deal."""
    client = connect("hubspot", "https://api.hubapi.com")
    for kind, properties in (
        ("contacts", {"email": "Ada@example.com", "firstname": "Ada", "lifecyclestage": "lead"}),
        ("contacts", {"email": "bob@example.com", "firstname": "Bob", "phone": "5"}),
        ("companies", {"name": "Mill", "domain": "mill.example"}),
        ("deals", {"dealname": "Flour", "amount": "120", "dealstage": "qualifiedtobuy"}),
    ):
        made = client.post(f"/crm/v3/objects/{kind}", json={"properties": properties})
        assert made.status_code == 201, made.text
    return client


def find_id(client: httpx.Client, kind: str, number: int = 0) -> str:
    return client.get(f"/crm/v3/objects/{kind}").json()["results"][number]["id"]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ([{"propertyName": "email", "operator": "EQ", "value": "ada@example.com"}], ["Ada"]),
        ([{"propertyName": "email", "operator": "IN", "values": ["bob@example.com", "x@y.z"]}], ["Bob"]),
        ([{"propertyName": "phone", "operator": "HAS_PROPERTY"}], ["Bob"]),
        ([{"propertyName": "phone", "operator": "NOT_HAS_PROPERTY"}], ["Ada"]),
        ([{"propertyName": "phone", "operator": "BETWEEN", "value": "4", "highValue": "10"}], ["Bob"]),
        ([{"propertyName": "email", "operator": "CONTAINS_TOKEN", "value": "*example*"}], ["Bob", "Ada"]),
        ([{"propertyName": "lifecyclestage", "operator": "NEQ", "value": "customer"}], ["Ada"]),
    ],
)
def test_a_search_finds_records_by_their_properties(hubspot: httpx.Client, filters: list[Any], names: list[str]):
    sorts = [{"propertyName": "firstname", "direction": "DESCENDING"}]
    asked = {"filterGroups": [{"filters": filters}], "properties": ["firstname"], "sorts": sorts}
    answer = hubspot.post("/crm/v3/objects/CONTACT/search", json=asked).json()
    assert [each["properties"]["firstname"] for each in answer["results"]] == names
    assert answer["total"] == len(names)


@pytest.mark.parametrize(
    ("kind", "properties", "status", "message"),
    [
        ("contacts", {"email": "ada@example.com"}, 409, "Contact already exists. Existing ID: "),
        ("contacts", {"email": "nobody"}, 400, "Email address nobody is invalid"),
        ("contacts", {"colour": "red"}, 400, "PROPERTY_DOESNT_EXIST"),
        ("contacts", {"lifecyclestage": "friend"}, 400, "INVALID_OPTION"),
        ("deals", {"dealname": "D", "dealstage": "won"}, 400, "INVALID_OPTION"),
        ("deals", {"dealname": "D", "amount": "much"}, 400, "INVALID_INTEGER"),
        ("boats", {}, 400, "Unable to infer object type from: boats"),
    ],
)
def test_a_record_that_is_wrong_is_refused(
    hubspot: httpx.Client, kind: str, properties: Any, status: int, message: str
):
    refused = hubspot.post(f"/crm/v3/objects/{kind}", json={"properties": properties})
    assert refused.status_code == status
    assert message in refused.json()["message"]


def test_records_are_associated_both_ways_until_one_is_archived(hubspot: httpx.Client):
    ada, mill = find_id(hubspot, "contacts"), find_id(hubspot, "companies")
    path = f"/crm/v4/objects/contacts/{ada}/associations"
    assert hubspot.put(f"{path}/default/companies/{mill}").status_code == 200
    assert hubspot.get(f"{path}/companies").json()["results"][0]["toObjectId"] == int(mill)
    shown = hubspot.get(f"/crm/v3/objects/companies/{mill}", params={"associations": "contacts"}).json()
    assert shown["associations"]["contacts"]["results"][0]["id"] == ada
    assert hubspot.delete(f"/crm/v3/objects/companies/{mill}").status_code == 204
    assert hubspot.get(f"{path}/companies").json()["results"] == []
    assert hubspot.get(f"/crm/v3/objects/companies/{mill}").json()["category"] == "OBJECT_NOT_FOUND"


def test_batches_create_update_read_and_archive(hubspot: httpx.Client):
    url = "/crm/v3/objects/contacts/batch"
    inputs = [{"properties": {"email": f"u{number}@example.com"}} for number in range(3)]
    made = hubspot.post(f"{url}/create", json={"inputs": inputs})
    ids = [{"id": each["id"]} for each in made.json()["results"]]
    assert (made.status_code, len(ids)) == (201, 3)
    hubspot.post(f"{url}/update", json={"inputs": [{**ids[0], "properties": {"city": "Ulm"}}]})
    assert hubspot.post(f"{url}/archive", json={"inputs": ids[1:]}).status_code == 204
    read = hubspot.post(f"{url}/read", json={"inputs": ids, "properties": ["city"]})
    assert (read.status_code, [each["properties"]["city"] for each in read.json()["results"]]) == (207, ["Ulm"])


def test_a_contact_of_version_1_is_made_once_and_found_by_its_address(hubspot: httpx.Client):
    url = "/contacts/v1/contact/createOrUpdate/email/cleo@example.com/"
    given = {"properties": [{"property": "firstname", "value": "Cleo"}]}
    made, again = hubspot.post(url, json=given).json(), hubspot.post(url, json=given).json()
    assert (made["isNew"], again) == (True, {"vid": made["vid"], "isNew": False})
    profile = "/contacts/v1/contact/email/cleo@example.com/profile?propertyMode=value_only"
    shown = hubspot.get(profile).json()
    assert shown["properties"]["firstname"] == {"value": "Cleo"}
    assert hubspot.get(f"/crm/v3/objects/contacts/{made['vid']}").json()["properties"]["email"] == "cleo@example.com"
    assert hubspot.delete(f"/contacts/v1/contact/vid/{made['vid']}").json()["deleted"] is True
    missing = hubspot.get(profile)
    assert (missing.status_code, missing.json()["errors"][0]["message"]) == (
        404,
        "The contact e:cleo@example.com does not exist.",
    )


ADAS_ADDRESS = {"property": "email", "value": "ada@example.com"}


@pytest.mark.parametrize(
    ("url", "body", "status", "said"),
    [
        ("/contacts/v1/contact", {"properties": [ADAS_ADDRESS]}, 409, "CONTACT_EXISTS"),
        ("/contacts/v1/contact", {"properties": [{"property": "closedate", "value": "soon"}]}, 400, "INVALID_LONG"),
        ("/contacts/v1/contact", {"properties": [{"name": "email"}]}, 400, "must have 'property'"),
        ("/contacts/v1/lists/7/add", {"vids": []}, 404, "Couldn't find a List with the given id '7'."),
        ("/contacts/v1/lists/all/contacts/all", {}, 405, "can only be read"),
        ("/companies/v2/companies", {"properties": [{"name": "colour", "value": "x"}]}, 400, "PROPERTY_DOESNT_EXIST"),
    ],
)  # fmt: skip
def test_what_older_versions_cannot_do_is_refused(hubspot: httpx.Client, url: str, body: Any, status: int, said: str):
    answer = hubspot.post(url, json=body)
    assert (answer.status_code, said in answer.text) == (status, True), answer.text


def test_a_static_list_says_who_was_added_and_who_is_not_known(hubspot: httpx.Client):
    made = hubspot.post("/contacts/v1/lists", json={"name": "Friends"}).json()["listId"]
    vid = int(find_id(hubspot, "contacts"))
    added = hubspot.post(f"/contacts/v1/lists/{made}/add", json={"emails": ["ada@example.com", "no@example.com"]})
    assert added.json() == {"updated": [vid], "discarded": [], "invalidVids": [], "invalidEmails": ["no@example.com"]}
    again = hubspot.post(f"/contacts/v1/lists/{made}/add", json={"vids": [vid, 5]}).json()
    assert (again["updated"], again["discarded"], again["invalidVids"]) == ([], [vid], [5])
    [listed] = hubspot.get("/contacts/v1/lists/static").json()["lists"]
    assert (listed["name"], listed["metaData"]["size"]) == ("Friends", 1)
    assert hubspot.get(f"/contacts/v1/lists/{made}/contacts/all").json()["contacts"][0]["vid"] == vid
    hubspot.post(f"/contacts/v1/lists/{made}/remove", json={"vids": [vid]})
    assert hubspot.get(f"/contacts/v1/lists/{made}").json()["metaData"]["size"] == 0
    assert hubspot.delete(f"/contacts/v1/lists/{made}").status_code == 204


def test_a_company_of_version_2_has_its_contacts(hubspot: httpx.Client):
    given = {"properties": [{"name": "name", "value": "Forge"}, {"name": "domain", "value": "forge.example"}]}
    made = hubspot.post("/companies/v2/companies/", json=given).json()
    assert made["properties"]["website"]["value"] == "forge.example"
    url, vid = f"/companies/v2/companies/{made['companyId']}", int(find_id(hubspot, "contacts"))
    assert hubspot.put(f"{url}/contacts/{vid}").status_code == 200
    assert hubspot.get(f"{url}/vids").json()["vids"] == [vid]
    listed = f"/crm-associations/v1/associations/{vid}/HUBSPOT_DEFINED/1"
    assert hubspot.get(listed).json()["results"] == [made["companyId"]]
    assert hubspot.delete(f"{url}/contacts/{vid}").status_code == 204
    assert hubspot.get(listed).json()["results"] == []
    assert hubspot.delete(url).json() == {"companyId": made["companyId"], "deleted": True}
    assert hubspot.get(url).status_code == 404


@pytest.mark.parametrize("how", ["DELETE {}", "POST batch/archive"])
def test_a_contact_that_version_3_archives_leaves_its_lists(hubspot: httpx.Client, how: str):
    vid = hubspot.get("/contacts/v1/contact/email/ada@example.com/profile").json()["vid"]
    made = hubspot.post("/contacts/v1/lists", json={"name": "Friends"}).json()["listId"]
    hubspot.post(f"/contacts/v1/lists/{made}/add", json={"vids": [vid]}).raise_for_status()
    verb, path = how.split()
    body = {"inputs": [{"id": str(vid)}]} if verb == "POST" else None
    hubspot.request(verb, f"/crm/v3/objects/contacts/{path.format(vid)}", json=body).raise_for_status()
    assert hubspot.get(f"/contacts/v1/lists/{made}/contacts/all").json()["contacts"] == []
    assert hubspot.get(f"/contacts/v1/lists/{made}").json()["metaData"]["size"] == 0


def test_a_property_of_version_1_can_be_set_until_it_is_removed(hubspot: httpx.Client):
    url = "/properties/v1/companies/properties"
    made = hubspot.post(url, json={"name": "fax_number", "label": "Fax", "type": "string"}).json()
    assert (made["label"], made["hubspotDefined"]) == ("Fax", None)
    assert hubspot.put(f"{url}/named/fax_number", json={"label": "Telefax"}).json()["label"] == "Telefax"
    given = {"properties": [{"name": "fax_number", "value": "5"}]}
    made = hubspot.post("/companies/v2/companies", json=given).json()
    assert made["properties"]["fax_number"]["value"] == "5"
    assert hubspot.delete(f"{url}/named/fax_number").status_code == 204
    assert hubspot.delete(f"{url}/named/fax_number").status_code == 404


@pytest.mark.parametrize(("name", "status"), [("fax_number", 409), ("Fax Number", 400), ("9fax", 400)])
@pytest.mark.parametrize("url", ["/properties/v1/companies/properties", "/crm/v3/properties/companies"])
def test_both_versions_refuse_names_of_properties_that_are_taken_or_have_other_signs(
    hubspot: httpx.Client, url: str, name: str, status: int
):
    asked = {"label": "Fax", "type": "string", "groupName": "companyinformation", "fieldType": "text"}
    hubspot.post(url, json={"name": "fax_number", **asked}).raise_for_status()
    assert hubspot.post(url, json={"name": name, **asked}).status_code == status


def test_older_deals_and_engagements_are_records_of_version_3(connect: Connect):
    hubspot = connect("hubspot", "https://api.hubapi.com")
    vid = hubspot.post("/contacts/v1/contact", json={"properties": [{"property": "firstname", "value": "Ada"}]}).json()[
        "vid"
    ]
    named = {"properties": [{"name": "dealname", "value": "Mill"}], "associations": {"associatedVids": [vid]}}
    deal = hubspot.post("/deals/v1/deal", json=named).json()
    assert (deal["associations"]["associatedVids"], deal["properties"]["dealname"]["value"]) == ([vid], "Mill")
    assert hubspot.get(f"/crm/v3/objects/deals/{deal['dealId']}").json()["properties"]["dealname"] == "Mill"
    note = {"engagement": {"type": "NOTE"}, "associations": {"contactIds": [vid, None]}, "metadata": {"body": "Hi"}}
    made = hubspot.post("/engagements/v1/engagements", json=note).json()
    number = made["engagement"]["id"]
    asked = {"properties": "hs_note_body"}
    assert hubspot.get(f"/crm/v3/objects/notes/{number}", params=asked).json()["properties"]["hs_note_body"] == "Hi"
    listed = hubspot.get(f"/engagements/v1/engagements/associated/CONTACT/{vid}/paged").json()
    assert listed == {"results": [made], "hasMore": False, "offset": number}


def test_merged_contacts_are_one_and_a_cleared_property_is_an_empty_text(connect: Connect):
    hubspot = connect("hubspot", "https://api.hubapi.com")
    ids = [
        hubspot.post("/crm/v3/objects/contacts", json={"properties": each}).json()["id"]
        for each in ({"firstname": "Ada"}, {"lastname": "Byron"})
    ]
    merged = hubspot.post(f"/contacts/v1/contact/merge-vids/{ids[0]}", json={"vidToMerge": int(ids[1])})
    assert merged.text == "SUCCESS"
    assert hubspot.get(f"/crm/v3/objects/contacts/{ids[0]}").json()["properties"]["lastname"] == "Byron"
    assert hubspot.get(f"/contacts/v1/contact/vid/{ids[1]}/profile").status_code == 404
    cleared = hubspot.patch(f"/crm/v3/objects/contacts/{ids[0]}", json={"properties": {"lastname": ""}}).json()
    assert cleared["properties"]["lastname"] == ""
    where = {"filterGroups": [{"filters": [{"propertyName": "lastname", "operator": "HAS_PROPERTY"}]}]}
    assert hubspot.post("/crm/v3/objects/contacts/search", json=where).json()["total"] == 0


def test_a_batch_upsert_changes_by_address_and_creates_what_is_not_there(hubspot: httpx.Client):
    inputs = [
        {"idProperty": "email", "id": address, "properties": {"city": "Ulm"}}
        for address in ("ADA@example.com", "n@w.org")
    ]
    answer = hubspot.post("/crm/v3/objects/contacts/batch/upsert", json={"inputs": inputs}).json()
    assert [(each["new"], each["properties"]["city"]) for each in answer["results"]] == [(False, "Ulm"), (True, "Ulm")]
    named = {"inputs": [{**inputs[0], "idProperty": "firstname"}]}
    assert hubspot.post("/crm/v3/objects/contacts/batch/upsert", json=named).status_code == 400


def test_a_merged_contact_leaves_what_the_other_lacked_and_its_associations(hubspot: httpx.Client):
    ada, bob, mill = find_id(hubspot, "contacts"), find_id(hubspot, "contacts", 1), find_id(hubspot, "companies")
    hubspot.put(f"/crm/v4/objects/contacts/{bob}/associations/default/companies/{mill}")
    ids = {"primaryObjectId": ada, "objectIdToMerge": bob}
    merged = hubspot.post("/crm/v3/objects/contacts/merge", json=ids).json()["properties"]
    assert (merged["firstname"], merged["email"], merged["phone"]) == ("Ada", "ada@example.com", "5")
    read = hubspot.get(f"/crm/v3/objects/contacts/{bob}", params={"properties": "hs_merged_object_ids"}).json()
    assert (read["id"], read["properties"]["hs_merged_object_ids"]) == (ada, bob)
    for archived in ("false", "true"):
        listed = hubspot.get("/crm/v3/objects/contacts", params={"archived": archived}).json()["results"]
        assert bob not in [each["id"] for each in listed]
    assert len(hubspot.get(f"/crm/v4/objects/contacts/{ada}/associations/companies").json()["results"]) == 1


@pytest.mark.parametrize("version", ["v3", "v4"])
def test_associations_are_made_read_and_ended_in_batches(hubspot: httpx.Client, version: str):
    url = f"/crm/{version}/associations/contacts/companies/batch"
    first, second = {"id": find_id(hubspot, "contacts")}, {"id": find_id(hubspot, "companies")}
    kinds = {"types": [{"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": 279}], "type": "x"}
    pair = {"from": first, "to": second, **kinds}
    assert hubspot.post(f"{url}/create", json={"inputs": [pair]}).status_code == 201
    [read] = hubspot.post(f"{url}/read", json={"inputs": [first]}).json()["results"]
    assert (read["from"], len(read["to"])) == (first, 1)
    ended = {"from": first, "to": second if version == "v3" else [second]}
    assert hubspot.post(f"{url}/archive", json={"inputs": [ended]}).status_code == 204
    assert hubspot.post(f"{url}/read", json={"inputs": [first]}).json()["results"] == []


def test_a_pipeline_with_deals_in_it_is_not_deleted(hubspot: httpx.Client):
    stage = {"label": "Won", "displayOrder": 0, "metadata": {"probability": "1.0"}}
    made = hubspot.post("/crm/v3/pipelines/deals", json={"label": "Mills", "stages": [stage]}).json()
    url, in_stage = f"/crm/v3/pipelines/deals/{made['id']}", made["stages"][0]["id"]
    refused = hubspot.post(f"{url}/stages", json={"label": "Lost", "metadata": {"probability": "2"}})
    assert (refused.status_code, "between 0.0 and 1.0" in refused.text) == (400, True)
    deal = {"properties": {"dealname": "D", "pipeline": made["id"], "dealstage": in_stage}}
    id = hubspot.post("/crm/v3/objects/deals", json=deal).json()["id"]
    assert hubspot.delete(url).status_code == hubspot.delete(f"{url}/stages/{in_stage}").status_code == 400
    hubspot.delete(f"/crm/v3/objects/deals/{id}")
    assert hubspot.delete(url).status_code == 204
    assert [each["id"] for each in hubspot.get("/crm/v3/pipelines/deals").json()["results"]] == ["default"]


@pytest.mark.parametrize("url", ["/properties/v1/deals", "/deals/v1"])
def test_groups_of_properties_are_added_changed_and_removed(hubspot: httpx.Client, url: str):
    group = {"name": "ovens", "displayName": "Ovens", "displayOrder": 9}
    assert hubspot.post(f"{url}/groups", json=group).json()["displayName"] == "Ovens"
    assert hubspot.post(f"{url}/groups", json=group).status_code == 409
    hubspot.put(f"{url}/groups/named/ovens", json={"displayName": "Kilns"})
    assert hubspot.get("/crm/v3/properties/deals/groups/ovens").json()["label"] == "Kilns"
    assert hubspot.post(f"{url}/properties", json={"name": "heat", "groupName": "ovens"}).status_code == 200
    assert hubspot.delete(f"{url}/groups/named/ovens").status_code == 400
    assert hubspot.delete(f"{url}/properties/named/heat").status_code == 204
    assert hubspot.delete(f"{url}/groups/named/ovens").status_code == 204
    assert "Couldn't find a Group" in hubspot.delete(f"{url}/groups/named/ovens").json()["message"]


def test_properties_are_added_read_and_archived_in_batches(hubspot: httpx.Client):
    url = "/crm/v3/properties/deals"
    inputs = [{"name": name, "label": name, "type": "number", "fieldType": "number"} for name in ("heat", "height")]
    assert hubspot.post(f"{url}/batch/create", json={"inputs": inputs}).status_code == 201
    assert hubspot.patch(f"{url}/heat", json={"label": "Heat"}).json()["label"] == "Heat"
    read = hubspot.post(f"{url}/batch/read", json={"inputs": [{"name": "heat"}, {"name": "none"}]})
    assert (read.status_code, len(read.json()["results"])) == (207, 1)
    assert hubspot.post(f"{url}/batch/archive", json={"inputs": inputs}).status_code == 204
    assert hubspot.get(f"{url}/heat").status_code == 404


@pytest.mark.parametrize(
    ("to_kind", "labels"),
    [("companies", [None, "Primary"]), ("deals", [None]), ("calls", [None]), ("contacts", [None]), ("products", [])],
)
def test_types_of_associations_are_listed_also_if_there_are_none(
    hubspot: httpx.Client, to_kind: str, labels: list[Any]
):
    listed = hubspot.get(f"/crm/v4/associations/contacts/{to_kind}/labels").json()["results"]
    assert [each["label"] for each in listed] == labels


def test_an_early_contact_shows_its_company(hubspot: httpx.Client):
    contact, company = find_id(hubspot, "contacts"), find_id(hubspot, "companies")
    path = f"/contacts/v1/contact/vid/{contact}/profile"
    assert "associated-company" not in hubspot.get(path).json()
    hubspot.put(f"/companies/v2/companies/{company}/contacts/{contact}")
    shown = hubspot.get(path).json()
    assert shown["properties"]["associatedcompanyid"]["value"] == company
    about = shown["associated-company"]
    assert (about["company-id"], about["properties"]["num_associated_contacts"]["value"]) == (int(company), "1")
    assert about["properties"]["domain"] == {"value": "mill.example"}


def test_an_account_labels_associations_in_both_directions(hubspot: httpx.Client):
    contact, company = find_id(hubspot, "contacts"), find_id(hubspot, "companies")
    labels = "/crm/v4/associations/contacts/companies/labels"
    given = {"label": "Buyer", "inverseLabel": "Buys for", "name": "buyer"}
    onward, back = hubspot.post(labels, json=given).json()["results"]
    assert (onward["category"], onward["label"], back["label"]) == ("USER_DEFINED", "Buyer", "Buys for")
    assert [each["label"] for each in hubspot.get(labels).json()["results"]] == [None, "Primary", "Buyer"]
    assert hubspot.post(labels, json=given).status_code == 409
    pair = f"/crm/v4/objects/contacts/{contact}/associations/companies/{company}"
    types = [{"associationCategory": "USER_DEFINED", "associationTypeId": onward["typeId"]}]
    assert hubspot.put(pair, json=types).json()["labels"] == ["Buyer"]
    [shown] = hubspot.get(f"/crm/v4/objects/companies/{company}/associations/contacts").json()["results"]
    assert [each["label"] for each in shown["associationTypes"]] == ["Buys for", None]
    assert hubspot.put(pair, json=[{**types[0], "associationTypeId": back["typeId"]}]).status_code == 400
    assert hubspot.delete(f"{labels}/{onward['typeId']}").status_code == 204
    [left] = hubspot.get(pair.rpartition("/")[0]).json()["results"]
    assert [each["label"] for each in left["associationTypes"]] == [None]


def test_the_usual_type_ends_an_association_and_a_label_does_not(hubspot: httpx.Client):
    contact, company = find_id(hubspot, "contacts"), find_id(hubspot, "companies")
    base = "/crm/v4/associations/contacts/companies/batch"
    ends: dict[str, Any] = {"from": {"id": contact}, "to": {"id": company}}

    def send(path: str, type_id: int) -> Any:
        types = [{"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": type_id}]
        return hubspot.post(f"{base}/{path}", json={"inputs": [{**ends, "types": types}]})

    assert send("create", 1).json()["results"][0]["labels"] == ["Primary"]
    listed = f"/crm/v4/objects/contacts/{contact}/associations/companies"
    for type_id, left in ((1, 1), (279, 0)):
        assert send("labels/archive", type_id).status_code == 204
        assert len(hubspot.get(listed).json()["results"]) == left


def test_a_list_of_version_3_has_the_records_that_it_is_given(hubspot: httpx.Client):
    deal = find_id(hubspot, "deals")
    made = hubspot.post("/crm/v3/lists", json={"name": "Big", "objectTypeId": "0-3", "processingType": "MANUAL"})
    shown = made.json()["list"]
    path = f"/crm/v3/lists/{shown['listId']}"
    answer = hubspot.put(f"{path}/memberships/add", json=[deal, "404"]).json()
    assert answer == {"recordsIdsAdded": [deal], "recordIdsRemoved": [], "recordIdsMissing": ["404"]}
    assert hubspot.put(f"{path}/memberships/add", json=[deal]).json()["recordsIdsAdded"] == []
    assert [each["recordId"] for each in hubspot.get(f"{path}/memberships").json()["results"]] == [deal]
    assert hubspot.get(f"/crm/v3/lists/records/0-3/{deal}/memberships").json()["total"] == 1
    found = hubspot.post("/crm/v3/lists/search", json={"query": "big"}).json()["lists"]
    assert [each["additionalProperties"]["hs_list_size"] for each in found] == ["1"]
    assert hubspot.put(f"{path}/update-list-name", params={"listName": "Bigger"}).json()["updatedList"]["size"] == 1
    assert hubspot.get("/contacts/v1/lists").json()["lists"] == []
    assert [hubspot.delete(path).status_code, hubspot.get(path).status_code] == [204, 404]
    assert hubspot.put(f"{path}/restore").status_code == 204
    assert hubspot.get("/crm/v3/lists/object-type-id/0-3/name/Bigger").json()["list"]["size"] == 1


def test_filters_of_a_list_that_are_not_served_are_said_to_be_missing(hubspot: httpx.Client):
    visits = {"filterType": "PAGE_VIEW", "operation": {"operator": "HAS_PAGEVIEW_EQUAL"}}
    branch = {"filterBranchType": "AND", "filters": [visits]}
    asked = {"name": "All", "objectTypeId": "0-1", "processingType": "DYNAMIC", "filterBranch": branch}
    assert hubspot.post("/crm/v3/lists", json=asked).status_code == 501
    assert hubspot.post("/crm/v3/lists", json={**asked, "processingType": "ODD"}).status_code == 400


@pytest.mark.parametrize(
    ("kind", "properties"),
    [
        ("quotes", {"hs_title": "Q"}),
        ("0-123", {"hs_order_name": "O"}),
        ("communications", {"hs_communication_body": "Hi"}),
        ("leads", {"hs_lead_name": "L"}),
        ("taxes", {"hs_label": "VAT"}),
    ],
)
def test_records_of_further_kinds_are_kept(hubspot: httpx.Client, kind: str, properties: dict[str, str]):
    made = hubspot.post(f"/crm/v3/objects/{kind}", json={"properties": properties}).json()
    shown = hubspot.get(f"/crm/v3/objects/{kind}/{made['id']}", params={"properties": ",".join(properties)}).json()
    assert shown["properties"].items() >= properties.items()


def test_types_of_associations_are_numbers_and_their_labels_have_texts(hubspot: httpx.Client):
    labels = "/crm/v4/associations/contacts/contacts/labels"
    [made] = hubspot.post(labels, json={"label": "Knows", "name": "knows"}).json()["results"]
    changed = {"associationTypeId": made["typeId"], "label": "Friend", "inverseLabel": "Of"}
    assert hubspot.put(labels, json={**changed, "label": " "}).status_code == 400
    assert hubspot.put(labels, json=changed).status_code == 204
    assert hubspot.get(labels).json()["results"][-1]["label"] == "Friend"
    pair = f"/crm/v4/objects/contacts/{find_id(hubspot, 'contacts')}/associations"
    company = f"{pair}/companies/{find_id(hubspot, 'companies')}"
    refused = hubspot.put(company, json=[{"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": True}])
    assert refused.status_code == 400


@pytest.mark.parametrize(("query", "count"), [({"after": "9" * 5_000}, 1), ({"limit": -3}, 1)])
def test_a_page_is_read_whatever_is_asked_for(hubspot: httpx.Client, query: dict[str, Any], count: int):
    contact, company = find_id(hubspot, "contacts"), find_id(hubspot, "companies")
    hubspot.put(f"/crm/v4/objects/contacts/{contact}/associations/default/companies/{company}")
    page = hubspot.get(f"/crm/v4/objects/contacts/{contact}/associations/companies", params=query)
    assert (page.status_code, len(page.json()["results"])) == (200, count)


def test_an_id_in_a_list_is_that_of_a_record_of_its_kind():
    draft, at = find_shipped("hubspot"), "2026-01-01T00:00:00"
    records = {kind: [{"id": "5", "created_at": at, "updated_at": at}] for kind in ("contacts", "companies")}
    twin = draft._replace(rows=lambda: {**draft.rows(), **records} if draft.rows else records).twin()
    with (
        Twindiff(twins=[twin]) as local,
        local.create("hubspot:hubspot_base") as made,
        httpx.Client(transport=local.transport(made), base_url="https://api.hubapi.com/crm/v3") as client,
    ):
        given = {"name": "People", "objectTypeId": "0-1", "processingType": "MANUAL"}
        members = f"/lists/{client.post('/lists', json=given).json()['list']['listId']}/memberships"
        assert client.put(f"{members}/add", json=["5"]).json()["recordsIdsAdded"] == ["5"]
        assert client.get("/lists/records/0-2/5/memberships").json()["total"] == 0
        assert client.delete("/objects/companies/5").status_code == 204
        assert client.get(members).json()["total"] == 1
        assert client.delete("/objects/contacts/5").status_code == 204
        assert client.get(members).json()["total"] == 0
