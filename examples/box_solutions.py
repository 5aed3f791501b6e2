"""What to do for every task of box_tasks.json, call by call.

`twindiff import agent-diff` brings the tasks in, and then
`twindiff suites run "bike shop" --agent examples.box_solutions:work` passes all of them.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

import httpx

from twindiff.client import Task

CLEO = "22010040003"


class Files:
    """The calls that most tasks take."""

    def __init__(self, task: Task) -> None:
        headers = {"Authorization": f"Bearer {task.token}"}
        self.http = httpx.Client(base_url=task.url, headers=headers, trust_env=False, follow_redirects=True)

    def __call__(self, verb: str, path: str, body: Any = None) -> Any:
        answer = self.http.request(verb, f"/2.0/{path}", json=body)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def found(self, query: str, kind: str = "file") -> dict[str, Any]:
        """The one item of that name."""
        page = self.http.get(
            "/2.0/search", params={"query": f'"{query}"', "type": kind, "content_types": "name"}
        ).json()
        (item,) = [each for each in page["entries"] if each["name"] == query]
        return item

    def bytes_of(self, file: str) -> bytes:
        return self.http.get(f"/2.0/files/{file}/content").content

    def comment(self, file: str, message: str) -> None:
        self("POST", "comments", {"item": {"type": "file", "id": file}, "message": message})


def work(task: Task) -> None:
    """Solve the task that the prompt is of."""
    solve = next(solve for words, solve in SOLUTIONS.items() if words in task.prompt)
    files = Files(task)
    with files.http:
        solve(files)


def report_what_is_overdue(box: Files) -> None:
    file = box.found("invoices_q4.csv")["id"]
    rows = csv.DictReader(io.StringIO(box.bytes_of(file).decode()))
    total = sum(float(row["amount"]) for row in rows if row["status"] == "overdue")
    box.comment(file, f"Overdue: {total:.2f} USD")


def remove_a_duplicate(box: Files) -> None:
    guide, copy = box.found("wheel_truing.txt")["id"], box.found("wheel_truing (1).txt")["id"]
    assert box.bytes_of(guide) == box.bytes_of(copy)
    box("DELETE", f"files/{copy}")


def file_a_scan(box: Files) -> None:
    target = box.found("Contracts", "folder")["id"]
    wanted = {"parent": {"id": target}, "name": "delivery_note_velora_2026-01-12.pdf"}
    box("PUT", f"files/{box.found('scan_0007.pdf')['id']}", wanted)


def tidy_up_comments(box: Files) -> None:
    file = box.found("budget_2026.xlsx")["id"]
    for comment in box("GET", f"files/{file}/comments")["entries"]:
        if "OUTDATED" in comment["message"]:
            box("DELETE", f"comments/{comment['id']}")
    box("PUT", f"files/{file}", {"tags": ["reviewed"]})


def act_on_a_recall(box: Files) -> None:
    notice = box.bytes_of(box.found("recall_brake_lever_2026.txt")["id"]).decode()
    item = {"type": "file", "id": box.found("repair_log.json")["id"]}
    for bike in re.findall(r"HB-\d+", notice):
        box("POST", "tasks", {"item": item, "action": "complete", "message": f"Replace brake levers of {bike}"})


def share_with_a_colleague(box: Files) -> None:
    item = {"type": "file", "id": box.found("insurance_policy.pdf")["id"]}
    box("POST", "collaborations", {"item": item, "accessible_by": {"type": "user", "id": CLEO}, "role": "viewer"})


def describe_a_contract(box: Files) -> None:
    agreement = box.found("supplier_agreement_velora.docx")["id"]
    values = {"party": "Velora Wheels", "state": "active"}
    box("POST", f"files/{agreement}/metadata/enterprise/contract", values)
    box("DELETE", f"files/{box.found('supplier_agreement_velora_DRAFT.docx')['id']}")


def extend_a_guide(box: Files) -> None:
    guide = box.found("checklist.md")["id"]
    data = box.bytes_of(guide) + b"- [ ] Tire pressure\n"
    form = {"attributes": json.dumps({"name": "checklist.md"})}
    box.http.post(f"/api/2.0/files/{guide}/content", data=form, files={"file": data}).raise_for_status()
    hubs = box.http.get("/2.0/hubs", headers={"box-version": "2025.0"}).json()["entries"]
    assert hubs == []
    box.comment(box.found("recall_brake_lever_2026.txt")["id"], "Please add this to the handbook.")


SOLUTIONS: dict[str, Callable[[Files], None]] = {
    "overdue invoices": report_what_is_overdue,
    "same guide twice": remove_a_duplicate,
    "scan_0007.pdf": file_a_scan,
    "marked as outdated": tidy_up_comments,
    "recall notice and make": act_on_a_recall,
    "insurance policy": share_with_a_colleague,
    "metadata template Contract": describe_a_contract,
    "You are Ben": extend_a_guide,
}
