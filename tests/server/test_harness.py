from tests.harness import GENERAL


def test_a_post_shows_in_the_diff_of_a_run_and_nowhere_else(platform, environment):
    mine, other = environment(), environment()
    run, quiet = platform.start(mine), platform.start(other)
    mine.post("hello", GENERAL)
    assert [row["__table__"] for row in platform.diff(run)["inserts"]] == ["messages"]
    assert platform.diff(quiet) == {"inserts": [], "updates": [], "deletes": []}
