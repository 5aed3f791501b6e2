"""Patterns of strangers: the meaning is `re`'s, the time is ours."""

import os
import re
import signal
import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twindiff.checks import evaluate, regexes

CATASTROPHES = [
    (r"(a+)+$", "a" * 60 + "b"),
    (r"(a|a)*$", "a" * 60 + "b"),
    (r"(a|aa)+$", "a" * 90 + "b"),
    (r"(?x)(a +) + $", "a" * 60 + "b"),
    (r"(.*)\1\1\1x", "a" * 3000),
    (".*a" * 12 + "c", "a" * 300),
    ("(?i)" + r"[\x00-\U0010ffff]" * 40, "a"),
    ("(a?){60}" + "a" * 60, "a" * 59),
]

MEANINGS = [
    (r"(?=.*red)(?=.*blue)", "blue, red"),
    (r"(?<!no )entry", "no entry"),
    (r"(?si)ALPHA.+beta\s*\[\d+,\s*\d+\]", "alpha\nBeta [1, 22]"),
    (r"(?m)^two$", "one\ntwo\nthree"),
    (r"(?P<x>ab|cd)+-(?P=x)", "abcd-cd"),
    (r"(?:(a)|b)(?(1)c|d)", "bd"),
    (r"\bİ|ß(?i:S)", "ßs"),
    (r"a++b", "aaab"),
    (r"[[a]", "a"),
    (r"(unclosed", "(unclosed"),
    (r"a{2,1}", "aa"),
    ("((" * 300 + "a" + "))" * 300, "a"),
    ("", ""),
]


def added(pattern: str, *texts: str, count: Any = 1) -> tuple[Any, Any]:
    assertion = {"diff_type": "added", "entity": "t", "where": {"v": {"regex": pattern}}, "expected_count": count}
    return {"assertions": [assertion]}, {"inserts": [{"__table__": "t", "v": text} for text in texts]}


def meaning(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except (re.error, RecursionError):
        return False


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send every pattern to the other process."""
    monkeypatch.setattr(regexes, "CHEAP_STEPS", -1)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize(("pattern", "text"), MEANINGS)
def test_a_pattern_means_what_it_means_to_python(pattern: str, text: str) -> None:
    assert regexes.search(pattern, text) == meaning(pattern, text)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.usefixtures("apart")
@pytest.mark.parametrize(("pattern", "text"), MEANINGS)
def test_a_pattern_means_the_same_in_the_other_process(pattern: str, text: str) -> None:
    assert regexes.search(pattern, text) == meaning(pattern, text)


@pytest.mark.usefixtures("apart")
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.text("ab|*+?()[]^$.\\1", max_size=6), st.text("ab\n\ud800é", max_size=6))
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_no_small_pattern_means_anything_else_in_the_other_process(pattern: str, text: str) -> None:
    assert regexes.search(pattern, text) == meaning(pattern, text)


@pytest.mark.parametrize(("pattern", "text"), CATASTROPHES)
def test_a_catastrophic_pattern_is_never_searched_in_place(pattern: str, text: str) -> None:
    assert not regexes.is_cheap(pattern, len(text))


@pytest.mark.parametrize(("pattern", "text"), CATASTROPHES[:3])
def test_a_catastrophic_pattern_ends(pattern: str, text: str) -> None:
    with regexes.time_limit(0.05), pytest.raises(regexes.UndecidedError, match="takes too long"):
        regexes.search(pattern, text)


def test_searches_of_one_evaluation_share_their_time() -> None:
    with regexes.time_limit(0.05):
        with pytest.raises(regexes.UndecidedError):
            regexes.search(*CATASTROPHES[0])
        with pytest.raises(regexes.UndecidedError):
            regexes.search("(a)+", "a")
    assert regexes.search("(a)+", "a")


def test_an_undecided_pattern_fails_its_assertion_even_where_no_row_is_expected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(regexes, "MAX_CPU_SECONDS", 0.05)
    pattern, text = CATASTROPHES[0]
    verdict = evaluate(*added(pattern, text, count=0))
    assert verdict.failures == ["assertion#1 t cannot be judged: regex '(a+)+$' takes too long"]
    assert verdict.explanations[0].text.endswith("It cannot be judged: regex '(a+)+$' takes too long.")


def test_a_process_that_died_is_replaced() -> None:
    assert regexes.search("(a)+", "a")
    process = regexes._searcher._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert regexes.search("(a)+", "a")


def test_threads_get_their_own_answers() -> None:
    answers: dict[int, bool] = {}

    def ask(number: int) -> None:
        answers[number] = regexes.search(r"^(\d)+$", str(number) if number % 2 else "text")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: number % 2 == 1 for number in range(20)}


def test_an_ordinary_pattern_needs_no_other_process() -> None:
    for pattern in (r"(?i)exploration", r"^D", r"[Mm]ember", r"found|unable|could not", r"\bready\b"):
        assert regexes.is_cheap(pattern, 2000)
