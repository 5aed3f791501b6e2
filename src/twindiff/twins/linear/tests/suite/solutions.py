"""Written solutions of the public tasks that take the most calls; each finds what it needs through the API alone."""

from __future__ import annotations

from typing import Any

from .suite_client import Desk, Solutions

SOLUTIONS = Solutions()
solves = SOLUTIONS.of


@solves("test_50")
def dig_site(desk: Desk) -> None:
    team = desk.team("Archaeology")
    photos, lab = (
        desk.found("Artifact Photography")["id"],
        desk.found("Lab Sample Analysis", "id relations { nodes { id relatedIssue { id } } }"),
    )
    (wrong,) = [each["id"] for each in lab["relations"]["nodes"] if each["relatedIssue"]["id"] == photos]
    desk.linear("mutation($id: String!) { issueRelationDelete(id: $id) { success } }", id=wrong)
    report = desk.issue(team, "Final Site Report Compilation - Season 3", assigneeId=desk.user("Søren"))
    desk.blocks(photos, report)
    desk.blocks(lab["id"], report)
    desk.change(photos, assigneeId=desk.user("Ximena"), stateId=desk.state(team, "In Progress"))
    desk.change(lab["id"], assigneeId=desk.user("Okonkwo"))
    desk.comment(
        lab["id"],
        "WORKFLOW_FIX: Removed erroneous blocking relation where Lab was blocking Photography. Correct flow is "
        "Photography → Lab (need in-situ photos before extraction). Deadlock resolved. Current chain: Photography → "
        "Lab Analysis → Final Report.",
    )


@solves("test_46")
def sprint_cleanup(desk: Desk) -> None:
    team, migration = desk.team("Backend"), desk.found("database migration")["id"]
    epic = desk.issue(team, "Q1 Infrastructure Overhaul")
    redis = desk.issue(team, "Upgrade Redis cluster to v7", parentId=epic)
    desk.blocks(migration, redis)
    note = desk.comment(redis, "STANDUP_NOTE: Jamal will start this after migration completes. ETA next Tuesday.")
    desk.linear("mutation($id: String!) { commentDelete(id: $id) { success } }", id=note)
    desk.change(redis, assigneeId=desk.user("Jamal"))
    desk.change(epic, assigneeId=desk.user("Olga"), priority=2)


@solves("test_49")
def post_production(desk: Desk) -> None:
    team = desk.team("Post-Production")
    lock = desk.found("Master Edit Lock", "id relations { nodes { type } }")
    blocked = sum(each["type"] == "blocks" for each in lock["relations"]["nodes"])
    color = desk.issue(team, "Final Color Grade - DCI-P3 Mastering", assigneeId=desk.user("Kenji"))
    audio = desk.issue(team, "Audio Mix Master - Dolby Atmos", assigneeId=desk.user("Amara"))
    desk.blocks(desk.found("Color Grading Phase 1")["id"], color)
    desk.blocks(desk.found("Sound Design Draft")["id"], audio)
    desk.blocks(color, audio)
    desk.comment(
        lock["id"],
        f"DEPENDENCY_AUDIT: Master Edit Lock directly blocks {blocked} downstream issues. New dependencies added: "
        "Final Color Grade (Kenji), Audio Mix Master (Amara). Cross-stream link established between color and audio "
        "pipelines.",
    )


@solves("test_42")
def seed_library(desk: Desk) -> None:
    team = desk.team("Seed Library")
    guardian = desk.linear.create("issueLabel", name="Seed Guardian", color="#4cb782", teamId=team)["id"]
    yuto = packets(desk, team, "Yuto")
    assert sum(each["state"]["name"] == "Sprouted" for each in yuto) / len(yuto) >= 0.75
    for packet in yuto:
        desk.change(packet["id"], labelIds=[guardian])
    (okra,) = packets(desk, team, "Nneka")
    desk.change(okra["id"], stateId=desk.state(team, "Preserved Collection"))
    szymon = packets(desk, team, "Szymon")
    sprouted = sum(each["state"]["name"] == "Sprouted" for each in szymon)
    for packet in szymon:
        if packet["state"]["name"] != "Sprouted":
            desk.change(packet["id"], stateId=desk.state(team, "Needs Donor Review"))
            rate = round(100 * sprouted / len(szymon))
            text = f"GERMINATION_AUDIT: {sprouted} sprouted / {len(szymon)} total = {rate}% - below 60% threshold"
            desk.comment(packet["id"], text)


def packets(desk: Desk, team: str, donor: str) -> list[dict[str, Any]]:
    query = """query($team: ID, $donor: String) {
        issues(filter: { team: { id: { eq: $team } }, assignee: { name: { startsWith: $donor } } }) {
            nodes { id state { name } } } }"""
    return desk.linear(query, team=team, donor=donor)["issues"]["nodes"]


@solves("test_45")
def it_support(desk: Desk) -> None:
    team, label = desk.team("IT Support"), desk.label("hardware-failure")
    ticket = desk.issue(team, "Server rack B7 unresponsive - power supply failure")
    desk.change(ticket, labelIds=[label], assigneeId=desk.user("Kofi"))
    text = (
        "DIAG_LOG_001: Initial ping test failed. Checked physical connections. PSU indicator light is off. "
        "Replacement unit requested from inventory."
    )
    note = desk.comment(ticket, text)
    more = " || UPDATE: PSU replaced at 14:32. Server responding. Monitoring for 24hrs."
    desk.linear.update("comment", note, body=text + more)
    desk.change(ticket, assigneeId=desk.user("Elena"), stateId=desk.state(team, "In Review"))


@solves("test_44")
def mobile_release(desk: Desk) -> None:
    team = desk.team("Mobile")
    login = desk.issue(team, "App crashes on login with special characters", priority=2, assigneeId=desk.user("Marcus"))
    push = desk.issue(team, "Push notifications not working on Android 14", assigneeId=desk.user("Aisha"))
    for issue in (login, push):
        desk.change(issue, stateId=desk.state(team, "In Progress"))
    desk.comment(
        login,
        "REPRO_STEPS: 1. Open app 2. Enter username with & or % character 3. Tap login button 4. App crashes to home "
        "screen. Tested on iOS 17.2 and Android 14.",
    )


@solves("test_53")
def garden_plots(desk: Desk) -> None:
    team, ines, rashida = desk.team("Garden Plots"), desk.user("Ines"), desk.user("Rashida")
    text = "Documenting all plot changes for the growing season. Reassignments finalized at March board meeting."
    desk.issue(team, "Spring 2025 Plot Reassignment Tracker", description=text)
    desk.change(desk.found("Plot A7")["id"], assigneeId=ines, stateId=desk.state(team, "Active"))
    desk.change(desk.found("Plot B3")["id"], assigneeId=rashida)
    desk.change(desk.found("Plot C1")["id"], stateId=desk.state(team, "Dormant"))


@solves("test_55")
def resource_review(desk: Desk) -> None:
    query = "{ teams { nodes { id name states(first: 1) { nodes { id } } members { nodes { id } } } } }"
    teams = desk.linear(query)["teams"]["nodes"]
    sizes = {each["name"]: len(each["members"]["nodes"]) for each in teams}
    most = max(sizes.values())
    gaps = {name: most - size for name, size in sizes.items() if 0 < size < most}
    for team in teams:
        if team["name"] in gaps and team["states"]["nodes"]:
            title = f"Q1 Staffing Request - Need {gaps[team['name']]} additional team members"
            desk.issue(team["id"], title, priority=2)
    docs = desk.found("API Documentation Update")["id"]
    desk.change(docs, teamId=desk.team("Engineering"))
    desk.comment(
        docs,
        f"RESOURCE_AUDIT: Q1 staffing review complete. Engineering has {most} members (benchmark). Staffing gaps "
        f"identified: Product needs {gaps['Product']}, Design needs {gaps['Design']}, QA needs {gaps['QA']}. Total "
        f"headcount gap across org: {sum(gaps.values())}. Staffing request issues created in all understaffed teams.",
    )


@solves("test_40")
def dependency_chain(desk: Desk) -> None:
    team = desk.team("Engineering")
    alpha, beta, gamma = (desk.issue(team, title) for title in ("Alpha", "Beta", "Gamma"))
    desk.blocks(alpha, beta)
    desk.blocks(beta, gamma)


@solves("test_52")
def pottery_studio(desk: Desk) -> None:
    team, vase = desk.team("Ceramics"), desk.found("Celadon Vase")["id"]
    desk.change(vase, stateId=desk.state(team, "Firing"))
    desk.change(desk.found("Stoneware Bowl Set")["id"], stateId=desk.state(team, "Cooling"))
    desk.linear.create("issueLabel", name="raku-firing", color="#f2994a", teamId=team)
    desk.comment(
        vase,
        "KILN_LOG: Loaded into kiln #2 at 9:15am. Target: Cone 9 oxidation (~2300°F). Fatou requested slow cooling for "
        "crystal development. Do not open kiln door until temp drops below 400°F.",
    )


@solves("test_54")
def tournament(desk: Desk) -> None:
    final, adaeze = desk.found("Catan Regional")["id"], desk.user("Adaeze")
    desk.change(final, dueDate="2025-03-23", assigneeId=adaeze)
    desk.change(desk.found("Qualifying Round")["id"], dueDate="2025-03-16")
    desk.change(desk.found("Registration Deadline")["id"], dueDate="2025-03-11")
    desk.comment(
        final,
        "RESCHEDULE_AUDIT: Venue conflict forced 8-day delay. New timeline calculated:\n- Registration closes: March "
        "11th (was March 3rd)\n- Qualifiers: March 16th (was March 8th)\n- Championship: March 23rd (was March 15th)\n"
        "Organizer handoff: Yuto → Adaeze due to travel conflict.",
    )


@solves("test_27")
def done_flow(desk: Desk) -> None:
    team = desk.team("Product")
    done = desk.linear.create("workflowState", teamId=team, name="Done", type="completed", color="#5e6ad2")["id"]
    issue = desk.issue(team, "Mini-demo")
    desk.change(issue, stateId=done)
    desk.comment(issue, "Marking it as done because Hubert already prepped the demo but forgot to create an issue")


@solves("test_34")
def follow_up(desk: Desk) -> None:
    incident = desk.found("production incident", "id comments { nodes { body } }")
    analysis = "\n\n".join(each["body"] for each in incident["comments"]["nodes"])
    new = desk.issue(
        desk.team("Engineering"), "Fix 500 errors in eval runner", description=f"{analysis}\n\nBy an agent."
    )
    blocker = desk.linear('{ issue(id: "ENG-3") { id } }')["issue"]["id"]
    desk.blocks(blocker, new)


@solves("test_37")
def enforcement(desk: Desk) -> None:
    team = desk.team("Engineering")
    query = """{ issues(filter: { team: { key: { eq: "ENG" } }, state: { name: { eq: "In Progress" } },
        createdAt: { lt: "2025-01-02" } }) { nodes { id } } }"""
    for issue in desk.linear(query)["issues"]["nodes"]:
        desk.change(issue["id"], stateId=desk.state(team, "Todo"))
        desk.comment(issue["id"], "Demoted due to lack of progress")


@solves("test_51")
def stargazers(desk: Desk) -> None:
    text = (
        "Annual club gathering at Dark Sky Preserve. Expected rate: 18 meteors/hour. Radiant rises after midnight in "
        "Perseus."
    )
    title = "Lyrid Meteor Shower Viewing Party - Peak Night April 22nd"
    issue = desk.issue(desk.team("Stargazers"), title, description=text)
    desk.change(issue, assigneeId=desk.user("Priya"))
    query = "mutation($id: String!, $label: String!) { issueAddLabel(id: $id, labelId: $label) { success } }"
    desk.linear(query, id=issue, label=desk.label("public-event"))
    desk.comment(
        issue,
        "OBSERVATION_DETAILS: Meet at Ridgeline Observatory parking lot at 10pm. Bring red flashlights only - no white "
        "light. Bogdan will set up the 12-inch Dobsonian for Saturn viewing while we wait for the radiant to rise. "
        "Best meteor photography settings: ISO 3200, f/2.8, 20-second exposures pointed northeast.",
    )
