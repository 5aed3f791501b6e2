"""Written solutions of the public tasks that take few calls; each finds what it needs through the API alone."""

from __future__ import annotations

import csv
import io

from .suite_solutions import SOLUTIONS, Desk, solves

__all__ = ["SOLUTIONS"]


def path_of(desk: Desk, *names: str) -> str:
    """The id of the folder that a path of names leads to from the root."""
    folder = "0"
    for name in names:
        (folder,) = [each["id"] for each in desk.items(folder) if (each["type"], each["name"]) == ("folder", name)]
    return folder


def investments(desk: Desk) -> str:
    return path_of(desk, "investments")


def history(desk: Desk) -> str:
    return path_of(desk, "personal_final", "history")


def first_row(desk: Desk, file: str) -> dict[str, str]:
    return next(csv.DictReader(io.StringIO(desk.text(file))))


@solves("test_1")
def folder_of_my_name(desk: Desk) -> None:
    desk.box.folder(desk.box("GET", "users/me")["name"])


@solves("test_2")
def analysis_folder(desk: Desk) -> None:
    desk.box.folder("Analysis_2026", investments(desk))


@solves("test_3")
def relevant_comment(desk: Desk) -> None:
    desk.comment(desk.search("fomc", type="file", content_types="name")[0]["id"], "Relevant")


@solves("test_5")
def renamed_folder(desk: Desk) -> None:
    desk.change_folder(path_of(desk, "investments", "macroeconomics"), name="Global Economics")


@solves("test_6")
def moved_file(desk: Desk) -> None:
    desk.change(desk.named("transport-april-2025-csv.csv", "file"), parent={"id": investments(desk)})


@solves("test_7")
def research_hub(desk: Desk) -> None:
    desk.hub("Research Center")


@solves("test_8")
def folder_tags(desk: Desk) -> None:
    desk.change_folder(investments(desk), tags=["finance", "investments", "quarterly"])


@solves("test_9")
def folder_description(desk: Desk) -> None:
    folder = desk.box("GET", f"folders/{investments(desk)}")
    desk.change_folder(folder["id"], description="Audit Complete")


@solves("test_12")
def counted_files(desk: Desk) -> None:
    folder = investments(desk)
    count = sum(each["type"] == "file" for each in desk.items(folder))
    desk.change_folder(folder, description=str(count))


@solves("test_15")
def crisis_notes(desk: Desk) -> None:
    folder = history(desk)
    for file in desk.search("crisis", type="file", file_extensions="txt"):
        if "2001" in desk.text(file["id"]) and file["parent"]["id"] != folder:
            desk.change(file["id"], parent={"id": folder})


@solves("test_16")
def economic_hub(desk: Desk) -> None:
    desk.hub("Economic Data", ("folder", path_of(desk, "investments", "macroeconomics")))


@solves("test_18")
def folder_named_by_prices(desk: Desk) -> None:
    macro = path_of(desk, "investments", "macroeconomics")
    (prices,) = [each["id"] for each in desk.items(macro) if "price-index" in each["name"]]
    row = first_row(desk, prices)
    series, title = row["Series_reference"], row["Series_title_1"]
    name = f"macro_{series.replace('.', '_')}_{title}"
    desk.change_folder(macro, name=name, description=f"series={series}; title={title}")


@solves("test_19")
def census_folder(desk: Desk) -> None:
    macro = path_of(desk, "investments", "macroeconomics")
    (census,) = [each["id"] for each in desk.items(macro) if each["type"] == "folder" and "census" in each["name"]]
    desk.change_folder(census, name="Census_2018_Data")


@solves("test_20")
def file_named_by_transport(desk: Desk) -> None:
    transport = desk.named("transport-april-2025-csv.csv", "file")
    row = first_row(desk, transport)
    series, period = (row[column].replace(".", "_") for column in ("Series_reference", "Period"))
    said = "\n".join(f"{column}: {row[column]}" for column in ("Series_reference", "Period", "Data_value"))
    macro = path_of(desk, "investments", "macroeconomics")
    desk.box.upload(f"transport_{series}_{period}.txt", said.encode(), macro)


@solves("test_21")
def counted_lines(desk: Desk) -> None:
    transport = desk.named("transport-april-2025-csv.csv", "file")
    desk.comment(transport, f"Line count: {len(desk.text(transport).splitlines())}")


@solves("test_23")
def two_backups(desk: Desk) -> None:
    desk.box.folder("Backup")
    desk.change_folder(desk.box.folder("Backup", investments(desk)), name="Backup_in_investments")


@solves("test_26")
def evaluations_hub(desk: Desk) -> None:
    research = desk.named("agent-diff-research", "folder")
    files = desk.search("json", ancestor_folder_ids=research, file_extensions="json", type="file")
    evaluations = [each["id"] for each in files if "eval" in each["name"].lower()] or [each["id"] for each in files]
    desk.hub("Model Evaluations", *(("file", each) for each in evaluations))


@solves("test_27")
def trashed_duplicates(desk: Desk) -> None:
    kept: dict[str, str] = {}
    for topic in desk.items(desk.named("readings", "folder")):
        for file in desk.items(topic["id"]) if topic["type"] == "folder" else ():
            if file["name"].casefold() in kept:
                desk.trash(file["id"])
            kept.setdefault(file["name"].casefold(), file["id"])


@solves("test_29")
def named_by_size(desk: Desk) -> None:
    transport = desk.named("transport-april-2025-csv.csv", "file")
    size = desk.box("GET", f"files/{transport}")["size"]
    desk.change(transport, name="large_transport.csv" if size > 1_000_000 else "small_transport.csv")


@solves("test_32")
def uploaded_and_deleted(desk: Desk) -> None:
    desk.trash(desk.box.upload("tmp_delete_me.txt", b"delete-me")["id"])


@solves("test_33")
def second_version(desk: Desk) -> None:
    folder = history(desk)
    (notes,) = [each["id"] for each in desk.items(folder) if each["name"] == "2001 crisis notes.txt"]
    data = f"{desk.text(notes)}\nUPDATED: Version 2\n".encode()
    assert desk.box.new_version(notes, data).status_code == 200


@solves("test_34")
def duplicate_notes(desk: Desk) -> None:
    files = desk.items(path_of(desk, "personal_final", "history", "Buenos Aires"))
    notes = [each for each in files if each["name"].startswith("dirty war") and each["name"].endswith(".md")]
    sizes = {desk.box("GET", f"files/{each['id']}")["size"] for each in notes}
    assert (len(notes), len(sizes)) == (2, 1)
    desk.trash(max(notes, key=lambda each: len(each["name"]))["id"])


@solves("test_35")
def minutes_hub(desk: Desk) -> None:
    area = investments(desk)
    files = desk.search("fomc", ancestor_folder_ids=area, type="file", file_extensions="pdf", content_types="name")
    desk.hub("Fed Minutes Archive", *(("file", each["id"]) for each in files))


@solves("test_38")
def counted_comments(desk: Desk) -> None:
    (report,) = [
        each["id"] for each in desk.search("goog", type="file", content_types="name") if "10-q" in each["name"]
    ]
    desk.box.folder(f"File_Has_{len(desk.comments(report))}_Comments")


@solves("test_39")
def slogan(desk: Desk) -> None:
    folder = history(desk)
    notes = next(each["id"] for each in desk.items(folder) if each["name"] == "2001 crisis notes.txt")
    line = next(each for each in desk.text(notes).splitlines() if "vayan todos" in each)
    desk.comment(notes, line[line.index("Que") :][: len("Que se vayan todos")])


@solves("test_46")
def shared_summary(desk: Desk) -> None:
    desk.box("GET", "users/me")
    lab = desk.named("rare_books_conservation", "folder")
    (summary,) = [each["id"] for each in desk.items(lab) if each["name"].startswith("annual_summary_2025")]
    desk.box("PUT", f"files/{summary}?fields=shared_link", {"shared_link": {"access": "open"}})
    favourites = next(each["id"] for each in desk.box("GET", "collections")["entries"] if each["name"] == "Favorites")
    held = desk.box("GET", f"collections/{favourites}/items")["entries"]
    if summary not in [each["id"] for each in held]:
        desk.change(summary, collections=[{"id": favourites}])
    shown = desk.box("GET", f"files/{summary}", params={"fields": "shared_link,collections"})
    assert shown["shared_link"]
