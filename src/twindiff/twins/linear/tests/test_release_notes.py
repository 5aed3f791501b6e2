"""Release notes keep what they say and which releases they are about.

https://linear.app/docs/releases#release-notes
"""

import pytest

NOTE = """id title releaseCount firstRelease { name } lastRelease { name } releases { name }
    documentContent { content }"""


@pytest.fixture
def pipeline(workspace):
    """A workspace whose clock goes in steps, a pipeline in it, and three releases of it by name."""
    linear = workspace(clock={"mode": "steps"})
    key = linear.create("releasePipeline", name="Robots")["id"]
    releases = {name: linear.create("release", name=name, pipelineId=key)["id"] for name in ("1.0", "1.1", "2.0")}
    return linear, key, releases


def names(note):
    return sorted(each["name"] for each in note["releases"])


def test_a_note_keeps_its_text_and_its_releases(pipeline):
    linear, key, releases = pipeline
    given = {
        "pipelineId": key,
        "title": "Legs",
        "content": "# New legs",
        "releaseIds": [releases["2.0"], releases["1.0"]],
    }
    note = linear.create("releaseNote", NOTE, **given)
    assert note.pop("id")
    assert names(note) == ["1.0", "2.0"]
    assert note == {
        "title": "Legs",
        "releaseCount": 2,
        "firstRelease": {"name": "1.0"},
        "lastRelease": {"name": "2.0"},
        "releases": note["releases"],
        "documentContent": {"content": "# New legs"},
    }


def test_a_range_is_every_release_between_its_ends(pipeline):
    linear, key, releases = pipeline
    ends = {"rangeFromReleaseId": releases["1.0"], "rangeToReleaseId": releases["1.1"]}
    note = linear.create("releaseNote", NOTE, pipelineId=key, **ends)
    assert (names(note), note["releaseCount"]) == (["1.0", "1.1"], 2)


def test_an_update_names_other_releases_and_another_text(pipeline):
    linear, key, releases = pipeline
    note = linear.create("releaseNote", pipelineId=key, content="Old", releaseIds=[releases["1.0"]])["id"]
    changed = linear.update("releaseNote", note, NOTE, content="New", releaseIds=[releases["1.1"], releases["2.0"]])
    assert (names(changed), changed["documentContent"]["content"]) == (["1.1", "2.0"], "New")
    assert linear.update("releaseNote", note, NOTE, title="Only")["releaseCount"] == 2
    assert linear.update("releaseNote", note, NOTE, releaseIds=[])["firstRelease"] is None


def test_a_release_that_another_note_takes_is_no_longer_counted(pipeline):
    linear, key, releases = pipeline
    first = linear.create("releaseNote", pipelineId=key, releaseIds=[*releases.values()])["id"]
    linear.create("releaseNote", pipelineId=key, releaseIds=[releases["2.0"]])
    query = f'{{ releaseNote(id: "{first}") {{ {NOTE} }} }}'
    note = linear(query)["releaseNote"]
    assert (note["releaseCount"], note["lastRelease"]) == (2, {"name": "1.1"})


def test_a_release_knows_its_notes(pipeline):
    linear, key, releases = pipeline
    linear.create("releaseNote", pipelineId=key, title="Legs", releaseIds=[releases["1.0"]])
    query = "{ releases { nodes { name releaseNote { title } releaseNotes { title } } } }"
    known = {each["name"]: each for each in linear(query)["releases"]["nodes"]}
    assert known["1.0"] == {"name": "1.0", "releaseNote": {"title": "Legs"}, "releaseNotes": [{"title": "Legs"}]}
    assert known["2.0"]["releaseNotes"] == []


@pytest.mark.parametrize("names", [("rangeFromReleaseId",), ("rangeFromReleaseId", "rangeToReleaseId", "releaseIds")])
def test_half_a_range_and_a_range_beside_a_list_are_refused(pipeline, names):
    linear, key, releases = pipeline
    some = {name: [releases["1.0"]] if name == "releaseIds" else releases["1.0"] for name in names}
    query = "mutation($i: ReleaseNoteCreateInput!) { releaseNoteCreate(input: $i) { success } }"
    assert "and not both" in linear.refusal(query, i={"pipelineId": key, **some})


def test_a_release_of_another_pipeline_is_refused(pipeline):
    linear, _, releases = pipeline
    other = linear.create("releasePipeline", name="Cranes")["id"]
    query = "mutation($i: ReleaseNoteCreateInput!) { releaseNoteCreate(input: $i) { success } }"
    error = linear.error(query, i={"pipelineId": other, "releaseIds": [releases["1.0"]]})
    assert "belongs to another pipeline" in error["extensions"]["userPresentableMessage"]
