"""Written solutions of the public tasks that take the most calls; each finds what it needs through the API alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .conftest import Box

HUBS = {"headers": {"box-version": "2025.0"}}
SOLUTIONS: dict[str, Callable[[Any], None]] = {}


def solves(task: str) -> Any:
    def register(function: Any) -> Any:
        SOLUTIONS[task] = function
        return function

    return register


class Desk:
    """What an agent does most."""

    def __init__(self, box: Box) -> None:
        self.box = box

    def search(self, query: str, **filters: Any) -> list[dict[str, Any]]:
        return self.box("GET", "search", params={"query": query, "limit": 200, **filters})["entries"]

    def named(self, name: str, kind: str) -> str:
        """The id of the one item of that very name."""
        (item,) = [each for each in self.search(f'"{name}"', type=kind) if each["name"] == name]
        return item["id"]

    def items(self, folder: str) -> list[dict[str, Any]]:
        return self.box("GET", f"folders/{folder}/items", params={"limit": 1000})["entries"]

    def text(self, file: str) -> str:
        return self.box.bytes_of(file).decode()

    def change(self, file: str, **values: Any) -> None:
        self.box("PUT", f"files/{file}", values)

    def change_folder(self, folder: str, **values: Any) -> None:
        self.box("PUT", f"folders/{folder}", values)

    def comment(self, file: str, message: str) -> None:
        self.box("POST", "comments", {"item": {"type": "file", "id": file}, "message": message})

    def comments(self, file: str) -> list[dict[str, Any]]:
        return self.box("GET", f"files/{file}/comments")["entries"]

    def trash(self, file: str) -> None:
        self.box("DELETE", f"files/{file}")

    def hub(self, title: str, *items: tuple[str, str], description: str = "") -> str:
        made = self.box("POST", "hubs", {"title": title, "description": description}, **HUBS)["id"]
        self.into_hub(made, *items)
        return made

    def into_hub(self, hub: str, *items: tuple[str, str]) -> None:
        operations = [{"action": "add", "item": {"type": kind, "id": item}} for kind, item in items]
        if operations:
            answer = self.box("POST", f"hubs/{hub}/manage_items", {"operations": operations}, **HUBS)
            assert all(each["status"] == 201 for each in answer["operations"])

    def hub_named(self, word: str) -> str:
        (hub,) = self.box("GET", "hubs", params={"query": word}, **HUBS)["entries"]
        return hub["id"]


@solves("test_44")
def audit_of_rare_books(desk: Desk) -> None:
    box = desk.box
    me = box("GET", "users/me")
    lab = desk.named("rare_books_conservation", "folder")
    everything = desk.search("conservation OR humidity OR incunabula OR annual OR treated", ancestor_folder_ids=lab)
    files = {each["name"]: each["id"] for each in everything if each["type"] == "file"}
    report = next(file for name, file in files.items() if "incunabula" in name)
    summary = next(file for name, file in files.items() if "annual_summary" in name)
    logs = [desk.text(file) for name, file in files.items() if "humidity" in name]
    treated = [int(match[1]) for text in logs if (match := re.search(r"BOOKS TREATED THIS QUARTER:?\s*(\d+)", text))]
    desk.comment(report, f"Audit initiated by {me['name']} on 2026-01-31.")
    for comment in desk.comments(report):
        if "[OUTDATED]" in comment["message"]:
            box("DELETE", f"comments/{comment['id']}")
        elif "Budget review pending" in comment["message"]:
            said = f"Budget approved - Q3+Q4 aggregated total: {sum(treated)} books"
            box("PUT", f"comments/{comment['id']}", {"message": said})
    data = f"{desk.text(summary)}\nQ3 and Q4: {treated}\n".encode()
    assert box.new_version(summary, data).status_code == 200
    description = "Rare book conservation documentation - Last audit: Q4 2025."
    box("PUT", f"hubs/{desk.hub_named('Conservation Lab')}", {"description": description}, **HUBS)
    old = next(each["id"] for each in desk.items(lab) if each["name"] == "deprecated_2024")
    box("DELETE", f"folders/{old}?recursive=true")


@solves("test_47")
def demographics(desk: Desk) -> None:
    box = desk.box
    hub = desk.hub("Demographics 2025")
    census = desk.named("2018-census-totals-by-topic-national-highlights-csv", "folder")
    desk.change_folder(census, name="Census_2018_Master")
    highlights = box.folder("National_Highlights", census)
    transport = desk.named("transport-april-2025-csv.csv", "file")
    desk.comment(transport, "Transport series TPTA.S22IA included for cross-reference.")
    desk.change(transport, parent={"id": census})
    for file in desk.search("population", ancestor_folder_ids=census, type="file", content_types="name"):
        desk.change(file["id"], parent={"id": highlights})
    box.upload("hub_manifest.txt", b"Consolidated: Census 2018 + Transport 2025.", census)
    box("PUT", f"hubs/{hub}", {"description": "Unified demographic and transport datasets."}, **HUBS)


@solves("test_28")
def readings_by_extension(desk: Desk) -> None:
    box = desk.box
    readings = desk.named("readings", "folder")
    topics = [each["id"] for each in desk.items(readings) if each["type"] == "folder"]
    targets = {
        extension: box.folder(name, readings)
        for extension, name in (("pdf", "PDFs"), ("docx", "Word_Docs"), ("md", "Markdown"))
    }
    taken: set[str] = set()
    for topic in topics:
        for file in desk.items(topic):
            extension = file["name"].rpartition(".")[2].lower()
            if extension not in targets:
                continue
            moved: dict[str, Any] = {"parent": {"id": targets[extension]}}
            if file["name"].casefold() in taken:
                moved["name"] = f"{file['id']} {file['name']}"
            taken.add(file["name"].casefold())
            desk.change(file["id"], **moved)
        box("DELETE", f"folders/{topic}?recursive=true")


@solves("test_41")
def cryptozoology(desk: Desk) -> None:
    box = desk.box
    matches = desk.search('"photographic evidence"', type="file", content_types="file_content")
    report = next(each for each in matches if each["name"] == "pacific_northwest_sighting_march2025.txt")
    source = report["parent"]["id"]
    expedition = re.search(r"[Ee]xpedition[^\n]*", desk.text(report["id"]))
    main = box.folder("Expeditions_2025")
    desk.change(report["id"], parent={"id": box.folder("Cryptid_Sightings", main)}, tags=["verified"])
    desk.comment(report["id"], f"Reviewed on 2026-01-31: {expedition and expedition[0]}")
    (copy,) = [each["id"] for each in desk.items(source) if "backup" in each["name"]]
    desk.trash(copy)
    name = box("GET", f"folders/{source}")["name"]
    desk.change_folder(source, name=f"{name}_archived")
    desk.hub("2025 Field Research Index", ("folder", main))


@solves("test_43")
def minimoog(desk: Desk) -> None:
    box = desk.box
    project = desk.named("moog_minimoog_1974", "folder")
    files = {each["name"]: each["id"] for each in desk.items(project)}
    capacitors = next(file for name, file in files.items() if "capacitor" in name)
    desk.comment(capacitors, "C47 replaced with Nichicon 47µF/25V - oscillator section complete.")
    for comment in desk.comments(capacitors):
        if "C31 verified" in comment["message"]:
            said = f"{comment['message']} - measurement confirmed at 0.98x nominal."
            box("PUT", f"comments/{comment['id']}", {"message": said})
    calibration = next(file for name, file in files.items() if "calibration" in name)
    for task in box("GET", f"files/{calibration}/tasks")["entries"]:
        if "cutoff" in task["message"].lower():
            said = "Cutoff tracking verified ±3 cents across 5 octaves - exceeds spec."
            box("PUT", f"tasks/{task['id']}", {"message": said})
    oscillator = next(file for name, file in files.items() if "oscillator" in name)
    desk.change(oscillator, tags=["restoration-complete"])
    desk.hub("Synth Restoration Archive")


@solves("test_45")
def history_archive(desk: Desk) -> None:
    box = desk.box
    history = desk.named("history", "folder")
    inside = {each["name"]: each["id"] for each in desk.items(history)}
    desk.change_folder(inside["BA"], parent={"id": inside["Buenos Aires"]}, name="Legacy_Materials")
    cleanup = box.folder("Archive_Cleanup_2026", history)
    box.folder("Duplicates_Review", cleanup)
    for file in desk.search("backup OR copy OR (1)", ancestor_folder_ids=history, type="file", content_types="name"):
        for task in box("GET", f"files/{file['id']}/tasks")["entries"]:
            if task["message"].startswith(("[OBSOLETE]", "[OUTDATED]")):
                box("DELETE", f"tasks/{task['id']}")


@solves("test_42")
def season_of_ro(desk: Desk) -> None:
    hub = desk.hub_named("Chado")
    files = {each["name"]: each["id"] for each in desk.items(desk.named("chado_tea_ceremony", "folder"))}
    guide = files["winter_preparation_guide.txt"]
    desk.change(guide, tags=["winter_season"], description="Ro season preparation - 炉 (November-April)")
    desk.comment(guide, "Ready for Ro season (炉) - charcoal placement verified.")
    desk.comment(files["utensil_inventory_2025.txt"], "Utensils require cleaning before Hatsugama ceremony.")
    desk.trash(files["winter_prep_DRAFT_old.txt"])
    desk.into_hub(hub, ("file", guide))


@solves("test_48")
def size_audit(desk: Desk) -> None:
    report = desk.named("goog-10-q-q2-2025.pdf", "file")
    size = desk.box("GET", f"files/{report}")["size"]
    desk.change(report, tags=["large_audit" if size > 1_048_576 else "standard_audit"])
    matches = desk.search("fomc", content_types="name", type="file")
    desk.hub("Q2 Financial Review", *(("file", each["id"]) for each in matches))
    analysis = desk.box.folder("Analysis_2026", desk.named("investments", "folder"))
    desk.box.upload("audit_summary.txt", f"Audit complete. Google report size: {size} bytes.".encode(), analysis)
    desk.comment(report, f"Audit status: Tagged based on size ({size}b).")


@solves("test_14")
def fomc_reports(desk: Desk) -> None:
    folder = desk.box.folder("FOMC_Reports")
    for file in desk.search("fomc", content_types="name", type="file"):
        desk.change(file["id"], parent={"id": folder})


@solves("test_36")
def tagged_pdfs(desk: Desk) -> None:
    area = desk.named("investments", "folder")
    for file in desk.search("pdf", ancestor_folder_ids=area, file_extensions="pdf", type="file"):
        desk.change(file["id"], tags=["pdf-document"])


@solves("test_17")
def argentina(desk: Desk) -> None:
    matches = desk.search('"2001" AND crisis', type="file", file_extensions="txt")
    by_folder = {each["parent"]["name"]: each["id"] for each in matches if "crisis" in each["name"]}
    filed = by_folder.pop("history")
    (misfiled,) = by_folder.values()
    desk.trash(misfiled)
    assert "Argentina" in desk.text(filed)
    desk.change(filed, tags=["Latin_America"])


@solves("test_37")
def described_minutes(desk: Desk) -> None:
    for file in desk.search("fomc", file_extensions="pdf", type="file"):
        date = re.search(r"\d{8}", file["name"])
        assert date is not None
        desk.change(file["id"], description=f"FOMC minutes of {date[0]}")
