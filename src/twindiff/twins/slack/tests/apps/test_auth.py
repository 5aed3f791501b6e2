"""auth.test."""

ME, JOHN = "U01AGENBOT9", "U02JOHNDOE1"


def test_the_caller_is_told_who_they_are(slack):
    assert slack("auth.test") == {
        "ok": True,
        "url": "https://test-workspace.slack.com/",
        "team": "Test Workspace",
        "user": "agent1",
        "team_id": "T01WORKSPACE",
        "user_id": ME,
        "is_enterprise_install": False,
    }


def test_another_token_is_another_person(slack_as):
    assert slack_as(JOHN)("auth.test")["user_id"] == JOHN
