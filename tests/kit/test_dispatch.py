"""Operations are found by method name, or by verb and path."""

import pytest

from twindiff.kit import Operations
from twindiff.kit.http import Request
from twindiff.kit.styles.base import Style
from twindiff.kit.twin import Dispatch
from twindiff.twins.slack.wire_style import SlackRpc


def _nothing(call: None) -> None:
    """Do nothing."""


def dispatch(*paths: str, style: Style | None = None) -> Dispatch:
    """Operations of `GET /path` or of `method.name`, all alike."""
    api = Operations()
    for path in paths:
        verb, _, rest = path.partition(" ")
        declare = {"GET": api.get, "POST": api.post, "PUT": api.put, "PATCH": api.patch, "DELETE": api.delete}.get(verb)
        (declare(rest) if declare else api.method(verb))(_nothing)
    return Dispatch(style or Style(), [api])


def found(table: Dispatch, verb: str, path: str) -> tuple[str, dict[str, str]] | None:
    hit = table.find(verb, path)
    return (hit.operation.name, hit.path_parameters) if hit else None


def test_a_method_is_found_by_name_by_get_and_post():
    table = dispatch("chat.postMessage", style=SlackRpc())
    assert [found(table, verb, "/api/chat.postMessage") for verb in ("GET", "POST")] == [("chat.postMessage", {})] * 2
    assert found(table, "POST", "chat.postmessage") is None


@pytest.mark.parametrize("verb", ["HEAD", "DELETE", "OPTIONS", "PUT", "PATCH", "get"])
def test_a_method_is_not_run_by_any_other_verb(verb: str):
    table = dispatch("chat.postMessage", style=SlackRpc())
    assert found(table, verb, "/api/chat.postMessage") is None


def test_what_is_asked_of_a_path_by_head_is_what_get_gives():
    table = dispatch("GET /users/{id}", "POST /users/{id}")
    assert found(table, "HEAD", "/users/U1") == ("GET /users/{id}", {"id": "U1"})


def test_a_path_gives_what_stands_for_its_placeholders():
    table = dispatch("GET /users/{user_id}/posts/{post_id}")
    assert found(table, "GET", "/users/U1/posts/P%202/") == (
        "GET /users/{user_id}/posts/{post_id}", {"user_id": "U1", "post_id": "P%202"}
    )  # fmt: skip


def test_each_operation_calls_its_placeholders_as_it_likes():
    table = dispatch("GET /users/{id}", "GET /users/{user_id}/posts", "DELETE /users/{who}")
    assert found(table, "GET", "/users/U1") == ("GET /users/{id}", {"id": "U1"})
    assert found(table, "GET", "/users/U1/posts") == ("GET /users/{user_id}/posts", {"user_id": "U1"})
    assert found(table, "DELETE", "/users/U1") == ("DELETE /users/{who}", {"who": "U1"})


def test_a_literal_comes_before_a_placeholder():
    table = dispatch("GET /users/{id}", "GET /users/me", "GET /users/{id}/files", "GET /users/me/photo")
    assert found(table, "GET", "/users/me") == ("GET /users/me", {})
    assert found(table, "GET", "/users/me/files") == ("GET /users/{id}/files", {"id": "me"})


def test_a_literal_without_the_verb_leaves_it_to_the_placeholder():
    table = dispatch("GET /users/me", "DELETE /users/{id}")
    assert found(table, "DELETE", "/users/me") == ("DELETE /users/{id}", {"id": "me"})


def test_an_empty_segment_stands_for_nothing():
    table = dispatch("GET /users/{id}/posts", "GET /users/{id}")
    assert found(table, "GET", "/users//posts") is None
    assert found(table, "GET", "/users/") is None


def test_a_tail_is_the_rest_of_a_path():
    table = dispatch("GET /files/{path:path}", "GET /files/{id}/info", "DELETE /files/{where:path}")
    assert found(table, "GET", "/files/a/b/c.txt") == ("GET /files/{path:path}", {"path": "a/b/c.txt"})
    assert found(table, "GET", "/files/a/info") == ("GET /files/{id}/info", {"id": "a"})
    assert found(table, "DELETE", "/files/a") == ("DELETE /files/{where:path}", {"where": "a"})
    assert found(table, "GET", "/files") is None
    assert table.verbs("/files/a/b") == ["DELETE", "GET"]


def test_a_part_of_a_segment_may_vary():
    table = dispatch(
        "GET /files/{id}/thumbnail.{kind}", "POST /files/{id}:copy", "GET /files/{id}", "GET /files/a:copy"
    )
    assert found(table, "GET", "/files/F1/thumbnail.png") == (
        "GET /files/{id}/thumbnail.{kind}", {"id": "F1", "kind": "png"}
    )  # fmt: skip
    assert found(table, "GET", "/files/F1/thumbnail.") is None
    assert found(table, "POST", "/files/F1:copy") == ("POST /files/{id}:copy", {"id": "F1"})
    assert found(table, "GET", "/files/F1:copy") == ("GET /files/{id}", {"id": "F1:copy"})
    assert found(table, "GET", "/files/a:copy") == ("GET /files/a:copy", {})
    assert len(table.operations) == 4


@pytest.mark.parametrize("path", ["/a/{b:path}/c", "/a/x{b:path}", "/{a}{b}", "/{a", "/{}", "/{a:int}"])
def test_a_path_that_cannot_be_meant_is_refused(path: str):
    with pytest.raises(ValueError, match=r"must name one thing|stands at the end"):
        dispatch(f"GET {path}")


def test_a_page_has_a_prefix():
    api = Operations(prefix="/v1")
    api.get("/users/{id}")(_nothing)
    api.method("users.list")(_nothing)
    table = Dispatch(Style(), [api])
    assert [operation.name for operation in table.operations] == ["users.list", "GET /v1/users/{id}"]
    assert found(table, "GET", "/v1/users/U1") == ("GET /v1/users/{id}", {"id": "U1"})


def test_a_wrong_verb_is_told_from_an_unknown_path():
    table = dispatch("GET /users/{id}", "PATCH /users/{id}")
    assert (found(table, "POST", "/users/U1"), table.verbs("/users/U1")) == (None, ["GET", "PATCH"])
    assert (found(table, "GET", "/nothing"), table.verbs("/nothing")) == (None, [])
    assert table.verbs("/users") == []


def test_the_verbs_of_a_path_are_those_of_all_forms_that_it_has():
    table = dispatch("GET /users/{id}", "DELETE /users/me", "POST /users/{id}/close")
    assert table.verbs("/users/me") == ["DELETE", "GET"]


def test_the_root_is_a_path_like_any():
    assert found(dispatch("GET /"), "GET", "/") == ("GET /", {})


def test_two_operations_cannot_share_a_name():
    with pytest.raises(ValueError, match="Two operations are named GET /users"):
        dispatch("GET /users", "GET /users")
    with pytest.raises(ValueError, match=r"Two operations are named chat\.postMessage"):
        dispatch("chat.postMessage", "chat.postMessage")


def test_operations_are_listed_methods_first():
    table = dispatch("GET /b", "a.method", "POST /b", "GET /a/{id}")
    assert [operation.name for operation in table.operations] == ["a.method", "GET /b", "POST /b", "GET /a/{id}"]


def test_reading_is_what_get_does():
    table = dispatch("GET /a", "POST /a", "a.method")
    assert [operation.reads for operation in table.operations] == [False, True, False]


def test_an_unknown_operation_says_what_the_path_answers():
    answer = Style().unknown(Request("POST", "/users"), ["GET"])
    assert (answer.status, b"no operation POST /users; this path answers GET" in answer.body) == (501, True)
