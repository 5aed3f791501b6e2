"""Written solutions of the public tasks that take few calls; each finds what it needs through the API alone."""

from __future__ import annotations

from .suite_client import Desk, Solutions

SOLUTIONS = Solutions()
solves = SOLUTIONS.of

ALERT = "WEATHER ALERT: Storm cell approaching sector 7 - All birds at risk"
WARNING = (
    "NWS severe thunderstorm warning issued 14:32 UTC. Wind gusts to 60mph expected. Initiating emergency diversion "
    "protocol."
)
DIVERTED = (
    "DIVERSION ACTIVE: Rerouted to backup loft at coordinates 41.8781° N, 87.6298° W. Amadi's loft confirmed ready to "
    "receive."
)
STORM = (
    "WEATHER_LOG: Storm tracking update at 14:45 UTC. Cell moving NNE at 35mph. ETA to race corridor: 47 minutes. All "
    "handlers notified via SMS. GPS tracking shows 3 birds diverted successfully. Amadi confirming visual on "
    "Stormchaser approaching backup loft."
)


def move(desk: Desk, key: str, state: str) -> None:
    """Put the issue with an identifier into a state of its team."""
    issue = desk.linear("query($key: String!) { issue(id: $key) { id team { id } } }", key=key)["issue"]
    desk.change(issue["id"], stateId=desk.state(issue["team"]["id"], state))


def tag(desk: Desk, issue: str, label: str) -> None:
    query = "mutation($id: String!, $label: String!) { issueAddLabel(id: $id, labelId: $label) { success } }"
    desk.linear(query, id=issue, label=desk.label(label))


def seeded_comment(desk: Desk) -> str:
    (comment,) = desk.linear('{ issue(id: "ENG-1") { comments { nodes { id } } } }')["issue"]["comments"]["nodes"]
    return comment["id"]


@solves("test_0")
def new_issue(desk: Desk) -> None:
    desk.issue(desk.team("Engineering"), "Fix login bug")


@solves("test_1")
def new_urgent_issue(desk: Desk) -> None:
    desk.issue(desk.team("Engineering"), "Fix login bug", priority=2)


@solves("test_2")
def begin(desk: Desk) -> None:
    move(desk, "ENG-1", "In Progress")


@solves("test_3")
def assign(desk: Desk) -> None:
    desk.change("ENG-2", assigneeId=desk.user("John Doe"))


@solves("test_4")
def say_so(desk: Desk) -> None:
    desk.comment("ENG-1", "I am working on this now")


@solves("test_5")
def new_team(desk: Desk) -> None:
    desk.linear.create("team", name="Design")


@solves("test_8")
def describe(desk: Desk) -> None:
    text = desk.linear('{ issue(id: "ENG-1") { description } }')["issue"]["description"] or ""
    desk.change("ENG-1", description=f"{text}\n\nRoot cause: session timeout issue".strip())


@solves("test_9")
def three_issues(desk: Desk) -> None:
    team = desk.team("Engineering")
    for title in ("Update documentation", "Refactor API endpoints", "Add unit tests"):
        desk.issue(team, title)


@solves("test_10")
def complete(desk: Desk) -> None:
    move(desk, "ENG-1", "Done")


@solves("test_12")
def bugs(desk: Desk) -> None:
    tag(desk, desk.found("login")["id"], "Bugs")


@solves("test_13")
def onboarding(desk: Desk) -> None:
    tag(desk, desk.found("onboarding dashboard")["id"], "UX")


@solves("test_14")
def follow_up_title(desk: Desk) -> None:
    desk.change(desk.found("login")["id"], title="Fix login bug - follow up")


@solves("test_15")
def learning(desk: Desk) -> None:
    tag(desk, desk.found("login")["id"], "RL")


@solves("test_16")
def review(desk: Desk) -> None:
    move(desk, "ENG-2", "In Review")


@solves("test_18")
def navigation(desk: Desk) -> None:
    labels = [desk.label(name) for name in ("UX", "Urgent")]
    desk.issue(desk.team("Engineering"), "Polish navigation", labelIds=labels)


@solves("test_19")
def logs(desk: Desk) -> None:
    desk.comment("ENG-3", "Please add logs for the error path")


@solves("test_20")
def reword(desk: Desk) -> None:
    desk.linear.update("comment", seeded_comment(desk), body="Updated: working on a fix and adding tests")


@solves("test_21")
def unsay(desk: Desk) -> None:
    desk.linear("mutation($id: String!) { commentDelete(id: $id) { success } }", id=seeded_comment(desk))


@solves("test_22")
def two_issues(desk: Desk) -> None:
    team = desk.team("Engineering")
    desk.issue(team, "Update onboarding docs", labelIds=[desk.label("UX")])
    desk.issue(team, "Add circuit breaker", labelIds=[desk.label("Urgent")])


@solves("test_23")
def cancel(desk: Desk) -> None:
    move(desk, "ENG-1", "Canceled")


@solves("test_24")
def backend(desk: Desk) -> None:
    tag(desk, "ENG-2", "Backend")


@solves("test_25")
def rename_label(desk: Desk) -> None:
    desk.linear.update("issueLabel", desk.label("UX"), name="User Experience")


@solves("test_29")
def duplicate(desk: Desk) -> None:
    query = """query($team: ID) { issues(filter: {
        team: { id: { eq: $team } }, title: { containsIgnoreCase: "trace" } }) {
            nodes { id createdAt number } } }"""
    team = desk.team("Product")
    issues = desk.linear(query, team=team)["issues"]["nodes"]
    first, second = sorted(issues, key=lambda each: (each["createdAt"], each["number"]))
    state = {"name": "Duplicate", "type": "canceled", "color": "#95a2b3", "teamId": team}
    state_id = desk.linear.create("workflowState", **state)["id"]
    desk.change(second["id"], stateId=state_id)
    desk.linear.create("issueRelation", issueId=second["id"], relatedIssueId=first["id"], type="duplicate")


@solves("test_30")
def new_member(desk: Desk) -> None:
    artem = "b55072d7-ccaa-43cd-8ab7-3dca324e3294"
    desk.linear.create("teamMembership", teamId=desk.team("Product"), userId=artem)


@solves("test_31")
def link(desk: Desk) -> None:
    key = "e6a0f6c4-4d0e-4f4c-9a54-444444444444"
    body = desk.linear("query($id: String!) { comment(id: $id) { body } }", id=key)["comment"]["body"]
    desk.linear.update("comment", key, body=f"{body} For example: https://smith.langchain.com/")


@solves("test_32")
def handoff(desk: Desk) -> None:
    query = """query($user: ID) { issues(filter: {
        assignee: { id: { eq: $user } }, labels: { name: { eq: "Urgent" } } }) { nodes { id } } }"""
    sarah = desk.user("Sarah Smith")
    for issue in desk.linear(query, user=desk.user("John Doe"))["issues"]["nodes"]:
        desk.change(issue["id"], assigneeId=sarah)


@solves("test_33")
def migrate(desk: Desk) -> None:
    """Product has no such state, so one is made."""
    product = desk.team("Product")
    state = {"name": "In Review", "type": "started", "color": "#0f783c", "teamId": product}
    state_id = desk.linear.create("workflowState", **state)["id"]
    desk.change(desk.found("onboarding dashboard")["id"], teamId=product, stateId=state_id)


@solves("test_35")
def balance(desk: Desk) -> None:
    query = """query($team: String!) { team(id: $team) { members { nodes { id name
        assignedIssues { nodes { id } } } } } }"""
    members = desk.linear(query, team=desk.team("Engineering"))["team"]["members"]["nodes"]
    idlest = min(members, key=lambda each: (len(each["assignedIssues"]["nodes"]), each["name"]))
    desk.change(desk.found("email sign-in")["id"], assigneeId=idlest["id"])


@solves("test_36")
def migrate_labels(desk: Desk) -> None:
    query = '{ issues(filter: { labels: { name: { eq: "RL" } } }) { nodes { id } } }'
    old, new = desk.label("RL"), desk.label("AI")
    for issue in desk.linear(query)["issues"]["nodes"]:
        desk.change(issue["id"], addedLabelIds=[new], removedLabelIds=[old])


@solves("test_39")
def decompose(desk: Desk) -> None:
    whole = desk.found("SSO", "id team { id }")
    parts = (("Frontend Implementation", "Sarah"), ("Backend API", "John"))
    for title, person in parts:
        desk.issue(whole["team"]["id"], title, parentId=whole["id"], assigneeId=desk.user(person))


@solves("test_57")
def storm(desk: Desk) -> None:
    alert = desk.issue(desk.team("Racing Operations"), ALERT, description=WARNING)
    bird = desk.found("Stormchaser", "id description")
    desk.change(bird["id"], description=f"{bird['description'] or ''}\n\n{DIVERTED}".strip())
    desk.comment(alert, STORM)
