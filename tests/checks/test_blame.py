"""Which operation a row is laid to, and how a failure of several kinds is put in words."""

from typing import Any

import pytest

from twindiff.checks import Verdict, evaluate

Json = Any

NOTE = {"__table__": "notes", "id": 1, "a": "new"}
ADDED = {"diff_type": "added", "entity": "notes"}
NONE = {"diff_type": "added", "entity": "none", "expected_count": 0}
STILL = {"diff_type": "unchanged", "entity": "notes"}


def history(*done: tuple[str, str]) -> Json:
    """What was done to the note, in order: an operation and what became of the row by it."""
    return {
        "records": [
            {
                "seq": seq,
                "twin": "box",
                "operation": operation,
                "actor": "U1",
                "changes": [{"table": "notes", "key": {"id": 1}, "diff_type": happened, "changed": ["a"]}],
            }
            for seq, (operation, happened) in enumerate(done, 1)
        ]
    }


EDITED = history(("post", "added"), ("edit", "changed"))


def judged(assertion: Json, past: Json, diff: Json = None, **top: Json) -> Verdict:
    return evaluate({"version": "1", "assertions": [assertion], **top}, diff or {"inserts": [NOTE]}, past)


def accused(verdict: Verdict) -> str:
    """The operation behind the nearest row."""
    blame = verdict.explanations[0].nearest[0].blame
    assert blame is not None
    return blame.operation


def test_a_stray_row_that_was_edited_is_laid_to_who_added_it() -> None:
    verdict = judged(NONE, EDITED, closed_world=True)
    assert verdict.failures == ["assertion#2 closed_world notes added by post (seq 1, actor U1)"]


def test_a_row_that_should_not_be_there_is_laid_to_who_added_it() -> None:
    verdict = judged(STILL, EDITED)
    assert verdict.explanations[0].text.endswith("There were: notes added by post (seq 1, actor U1).")


def test_a_row_that_was_removed_and_put_back_is_laid_to_who_put_it_back() -> None:
    past = history(("post", "added"), ("drop", "removed"), ("restore", "added"), ("edit", "changed"))
    assert accused(judged(STILL, past)) == "restore"


def test_a_row_that_is_gone_is_laid_to_who_removed_it_last() -> None:
    past = history(("drop", "removed"), ("restore", "added"), ("edit", "changed"), ("purge", "removed"))
    assert accused(judged(STILL, past, {"deletes": [NOTE]})) == "purge"


def test_a_row_that_changed_by_being_put_back_is_laid_to_who_put_it_back() -> None:
    past = history(("drop", "removed"), ("restore", "added"))
    update = {"__table__": "notes", "before": {"id": 1, "a": "old"}, "after": {"id": 1, "a": "new"}}
    assert accused(judged(STILL, past, {"updates": [update]})) == "restore"


@pytest.mark.parametrize("where", [{}, {"a": "new"}])
def test_a_row_too_many_is_laid_to_who_added_it(where: Json) -> None:
    assert accused(judged({**ADDED, "where": where, "expected_count": 0}, EDITED)) == "post"


def test_a_column_of_an_added_row_is_laid_to_who_gave_it_its_value() -> None:
    assert accused(judged({**ADDED, "where": {"a": "other"}}, EDITED)) == "edit"


def test_a_row_whose_insertion_is_not_known_is_laid_to_who_touched_it() -> None:
    assert accused(judged(STILL, history(("edit", "changed")))) == "edit"


def test_a_table_named_closed_world_is_a_table() -> None:
    still = {"diff_type": "unchanged", "entity": "closed_world"}
    diff = {"inserts": [{"__table__": "closed_world", "id": 1}]}
    (why,) = judged(still, None, diff).explanations
    assert (why.diff_type, why.entity) == ("unchanged", "closed_world")
    assert why.text.startswith("Expected closed_world to be unchanged, got 1.")


def test_a_wrong_count_and_a_wrong_maker_are_both_said() -> None:
    verdict = judged({**ADDED, "expected_count": 2, "by": {"actor": "U2"}}, history(("post", "added")))
    (why,) = verdict.explanations
    assert len(verdict.failures) == 2
    assert why.text == (
        "Expected exactly 2 rows of notes to be added, got 1. No other row of notes was added. The diff has: notes. "
        'It should be by {"actor": {"eq": "U2"}} alone, not post (seq 1, actor U1).'
    )
    assert [difference.path for near in why.nearest for difference in near.differs] == ["by"]


def test_a_surplus_column_and_a_wrong_maker_are_both_said() -> None:
    changes = {"__table__": "notes", "before": {"id": 1, "a": 1}, "after": {"id": 1, "a": 2}}
    surplus = {"__table__": "notes", "before": {"id": 2, "b": 1}, "after": {"id": 2, "b": 2}}
    asked: Json = {"diff_type": "changed", "entity": "notes", "expected_changes": {"a": {}}, "by": {"actor": "U2"}}
    (why,) = judged(asked, history(("edit", "changed")), {"updates": [changes, surplus]}).explanations
    assert "1 row also changed b" in why.text
    assert why.text.endswith('It should be by {"actor": {"eq": "U2"}} alone, not edit (seq 1, actor U1).')
