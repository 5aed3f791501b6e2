"""What is worked out by words: the same for the same words.

https://linear.app/docs/search · https://linear.app/docs/account-preferences
"""

from __future__ import annotations

from .conftest import AGENT, ENG, SARAH


def test_a_semantic_search_finds_things_by_words_the_best_first(linear):
    linear.create("project", name="Gripper", teamIds=[ENG], description="A left gripper that needs no oil")
    both = linear.issue("id", title="Oil the gripper")["id"]
    one = linear.issue("id", title="Oil the crane")["id"]
    query = """query($t: [SemanticSearchResultType!]) { semanticSearch(query: "oil gripper", types: $t) {
        enabled results { id type issue { title } project { name } } } }"""
    search = linear(query)["semanticSearch"]
    assert search["enabled"] is True
    assert [each["type"] for each in search["results"]] == ["issue", "project", "issue"]
    assert [each["id"] for each in linear(query, t=["issue"])["semanticSearch"]["results"]] == [both, one]
    assert search["results"][1]["project"] == {"name": "Gripper"}


def test_a_suggested_filter_is_one_that_the_api_takes(linear):
    query = "query($p: String!) { issueFilterSuggestion(prompt: $p) { filter } }"
    suggested = linear(query, p="Urgent ones of mine in Engineering that are In Progress")["issueFilterSuggestion"][
        "filter"
    ]
    assert suggested == {
        "and": [
            {"assignee": {"id": {"eq": AGENT}}},
            {"state": {"name": {"in": ["In Progress"]}}},
            {"labels": {"name": {"in": ["Urgent"]}}},
            {"team": {"name": {"in": ["Engineering"]}}},
            {"priority": {"in": [1]}},
        ]
    }
    assert "errors" not in linear.ask("query($f: IssueFilter) { issues(filter: $f) { nodes { id } } }", f=suggested)
    assert linear(query, p="xyzzy")["issueFilterSuggestion"]["filter"] is None


def test_filters_of_projects_and_initiatives_are_suggested_too(linear):
    query = """{ projectFilterSuggestion(prompt: "led by me") { filter }
        initiativeFilterSuggestion(prompt: "my own") { filter } }"""
    assert linear(query) == {
        "projectFilterSuggestion": {"filter": {"and": [{"lead": {"id": {"eq": AGENT}}}]}},
        "initiativeFilterSuggestion": {"filter": {"and": [{"owner": {"id": {"eq": AGENT}}}]}},
    }


def test_titles_views_and_repositories_are_suggested_from_what_is_given(linear):
    issue = linear.issue("id", title="Oil the crane", description="In acme's shop")["id"]
    query = """query($i: String!, $c: [CandidateRepository!]!) {
        issueTitleSuggestionFromCustomerRequest(request: "the crane squeaks. Please help!") { title }
        customViewDetailsSuggestion(filter: { priority: { eq: 1 } }) { name }
        issueRepositorySuggestions(issueId: $i, candidateRepositories: $c) {
            suggestions { repositoryFullName confidence } } }"""
    names = ("acme/website", "acme/crane")
    answer = linear(query, i=issue, c=[{"hostname": "github.com", "repositoryFullName": name} for name in names])
    assert answer["issueTitleSuggestionFromCustomerRequest"] == {"title": "The crane squeaks"}
    assert answer["customViewDetailsSuggestion"] == {"name": "Issues by priority"}
    assert answer["issueRepositorySuggestions"]["suggestions"] == [
        {"repositoryFullName": "acme/crane", "confidence": 1},
        {"repositoryFullName": "acme/website", "confidence": 0.5},
    ]


def test_one_changes_one_s_own_settings_in_part(linear):
    query = "{ userSettings { id user { id } subscribedToChangelog notificationChannelPreferences { email slack } } }"
    settings = linear(query)["userSettings"]
    assert (settings["user"], settings["notificationChannelPreferences"]) == (
        {"id": AGENT},
        {"email": True, "slack": False},
    )
    change = (
        "mutation($id: String!, $i: UserSettingsUpdateInput!) { userSettingsUpdate(id: $id, input: $i) { success } }"
    )
    given = {"notificationChannelPreferences": {"slack": True}, "subscribedToChangelog": True}
    linear(change, id=settings["id"], i=given)
    assert linear(query)["userSettings"] == {
        **settings,
        "subscribedToChangelog": True,
        "notificationChannelPreferences": {"email": True, "slack": True},
    }
    assert "Could not find" in linear.as_user(SARAH).refusal(change, id=settings["id"], i=given)


def test_the_users_of_one_s_address_are_one_account(linear):
    query = "{ availableUsers { id email users { id userAccountId organization { urlKey } role } lockedUsers { id } } }"
    account = linear(query)["availableUsers"]
    assert [each["id"] for each in account["users"]] == [AGENT]
    assert (account["users"][0]["userAccountId"], account["lockedUsers"]) == (account["id"], [])


def test_a_retired_label_of_initiatives_says_when_and_comes_back(linear):
    label = linear.create("initiativeLabel", name="Gait")["id"]
    query = 'mutation { initiativeLabel%s(id: "%s") { initiativeLabel { retiredAt retiredBy { id } } } }'
    retired = linear(query % ("Retire", label))["initiativeLabelRetire"]["initiativeLabel"]
    assert (bool(retired["retiredAt"]), retired["retiredBy"]) == (True, {"id": AGENT})
    again = linear(query % ("Restore", label))["initiativeLabelRestore"]["initiativeLabel"]
    assert again == {"retiredAt": None, "retiredBy": None}
