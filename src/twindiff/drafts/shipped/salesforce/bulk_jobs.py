"""Jobs that write or read many records: Bulk API 2.0, and Bulk API 1 in JSON, CSV and XML. Here they are done at once.

https://developer.salesforce.com/docs/atlas.en-us.api_asynch.meta/api_asynch/
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.parameter_sources import Body
from twindiff.kit.request_context import RequestContext
from twindiff.kit.twin import Operations

from ..document_collections import Shown
from ..document_fields import make_document_table
from .objects import SalesforceObject
from .queries import flatten_record, list_query_records
from .records import (
    change_record,
    create_record,
    delete_record,
    find_by_external_id,
    find_record,
    get_object_or_refuse,
)
from .wire_style import NoSuchResource, SalesforceError, lengthen_id, make_id, show_error, show_time

api = Operations()
MAX_ROWS = 10_000
OPERATIONS = ("insert", "update", "upsert", "delete", "hardDelete")
JOBS: Any = make_document_table("bulk_jobs")
"""Jobs; `fields` has what the vendor says of one in `info`, and the rows and their results."""
_DELIMITERS = {"COMMA": ",", "TAB": "\t", "SEMICOLON": ";", "PIPE": "|", "CARET": "^", "BACKQUOTE": "`"}
Rows = list[dict[str, Any]]


# -- jobs --------------------------------------------------------------------------------------------------------------


def _add_job(call: Call, prefix: str, info: Shown, **more: Any) -> Any:
    number = call.db.next("bulk_job")
    id = make_id(prefix, number)
    now = show_time(call.clock.iso())
    about = {
        "id": id,
        **info,
        "createdById": call.actor or make_id("005", 1),
        "createdDate": now,
        "systemModstamp": now,
    }
    fields: Shown = {"info": about, "rows": [], "results": [], **more}
    return call.db.add(JOBS(scope="", key=id, fields=fields, number=number))


def _find_job(call: Call, id: str) -> Any:
    table: Any = JOBS
    row = call.db.find(table, table.scope == "", table.key == lengthen_id(id))
    if row is None:
        raise NoSuchResource("The requested resource does not exist")
    return row


def _change_job(call: Call, row: Any, info: Shown, **more: Any) -> Any:
    now = show_time(call.clock.iso())
    fields = {**row.fields, **more, "info": {**row.fields["info"], **info, "systemModstamp": now}}
    return call.db.change(row, fields=fields)


def _write_row(call: Call, operation: str, kind: SalesforceObject, given: Mapping[str, Any], external: str) -> Shown:
    """Do what a job does with one row; returns its id and whether it is new."""
    values = {name: None if value == "#N/A" else value for name, value in given.items() if value != ""}
    id = str(values.pop("Id", values.pop("id", "")) or "")
    if operation == "insert":
        return {"id": create_record(call, kind, values).Id, "created": True}
    if operation == "update":
        return {"id": change_record(call, kind, find_record(call, kind, id), values).Id, "created": False}
    if operation == "upsert":
        wanted = id if external == "Id" else str(values.get(external) or "")
        row = find_by_external_id(call, kind, external, wanted) if wanted else None
        if row is None:
            return {"id": create_record(call, kind, values).Id, "created": True}
        return {"id": change_record(call, kind, row, values).Id, "created": False}
    delete_record(call, kind, id)
    return {"id": id, "created": False}


def _write_rows(call: Call, operation: str, kind: SalesforceObject, rows: Rows, external: str) -> list[Shown]:
    """Return the result of each row: `id`, `success`, `created` and `error`."""
    results: list[Shown] = []
    for given in rows:
        try:
            with call.db.savepoint():
                results.append({**_write_row(call, operation, kind, given, external), "success": True, "error": ""})
        except ApiError as error:
            shown = show_error(error)
            fields = " ".join(map(str, cast(list[Any], shown.get("fields") or [])))
            said = f"{shown['errorCode']}:{shown['message']}:{fields} --"
            results.append({"id": "", "created": False, "success": False, "error": said})
    return results


def _read_csv(text: str, delimiter: str = ",") -> Rows:
    """Return the rows of a CSV text by its header. Raises SalesforceError."""
    rows = [dict(each) for each in csv.DictReader(io.StringIO(text.lstrip("\ufeff")), delimiter=delimiter)]
    if len(rows) > MAX_ROWS:
        raise SalesforceError("EXCEEDED_QUOTA", f"A job has at most {MAX_ROWS:,} rows here.")
    if any(None in each for each in rows):
        raise SalesforceError("INVALIDBATCH", "InvalidBatch : Field name not found : a row has more values than names")
    return [{name: value or "" for name, value in each.items()} for each in rows]


def _read_names(text: str, delimiter: str) -> list[str]:
    """Return the header of a CSV text."""
    return next(csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter=delimiter), cast("list[str]", []))


def _write_csv(names: Sequence[str], rows: Sequence[Mapping[str, Any]], delimiter: str = ",") -> Response:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([[_show_cell(each.get(name)) for name in names] for each in rows])
    return Response(out.getvalue().encode(), content_type="text/csv; charset=UTF-8")


def _show_cell(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


# -- version 2: writing ------------------------------------------------------------------------------------------------

_INGEST = "/services/data/v{version}/jobs/ingest"


@api.post(_INGEST)
def post_ingest_job(
    call: Call,
    version: str,
    operation: str,
    object: str = "",
    content_type: str = "CSV",
    line_ending: str = "LF",
    column_delimiter: str = "COMMA",
    external_id_field_name: str = "",
) -> Shown:
    """Create a job that writes records."""
    if operation not in OPERATIONS:
        raise SalesforceError("INVALIDJOB", f"InvalidJob : Unknown operation: {operation}")
    if operation == "upsert" and not external_id_field_name:
        raise SalesforceError("INVALIDJOB", "InvalidJob : External ID was blank for upsert")
    if column_delimiter not in _DELIMITERS or content_type != "CSV":
        raise SalesforceError("INVALIDJOB", "InvalidJob : Unknown columnDelimiter or contentType")
    kind = get_object_or_refuse(object)
    info: Shown = {
        "operation": operation, "object": kind.name, "state": "Open",
        "externalIdFieldName": external_id_field_name or None, "concurrencyMode": "Parallel", "contentType": "CSV",
        "apiVersion": _number(version), "lineEnding": line_ending, "columnDelimiter": column_delimiter,
    }  # fmt: skip
    row = _add_job(call, "750", info)
    return {**row.fields["info"], "contentUrl": f"services/data/v{version}/jobs/ingest/{row.key}/batches"}


def _number(version: str) -> float:
    return float(version) if re.fullmatch(r"\d{1,3}\.\d", version) else 0.0


@api.get(_INGEST)
def list_ingest_jobs(call: Call, version: str) -> Shown:
    """List the jobs that write records."""
    return {"done": True, "nextRecordsUrl": None, "records": _list_jobs(call, OPERATIONS)}


def _list_jobs(call: Call, operations: Sequence[str]) -> list[Shown]:
    table: Any = JOBS
    rows = call.db.rows(table, order=table.number)
    infos = [row.fields["info"] for row in rows]
    return [each for each in infos if each.get("operation") in operations and "apexProcessingTime" not in each]


@api.put(f"{_INGEST}/{{id}}/batches", status=201)
def put_rows(call: Call, version: str, id: str, content: Annotated[bytes, Body]) -> None:
    """Upload the rows of a job as CSV."""
    row = _find_job(call, id)
    if row.fields["info"]["state"] != "Open" or row.fields["rows"]:
        said = "This job is already complete or it has its data already"
        raise SalesforceError("INVALIDJOBSTATE", said)
    delimiter = _DELIMITERS[row.fields["info"]["columnDelimiter"]]
    text = content.decode("utf-8", "replace")
    rows, names = _read_csv(text, delimiter), _read_names(text, delimiter)
    call.db.change(row, fields={**row.fields, "rows": rows, "names": names})


@api.patch(f"{_INGEST}/{{id}}")
def patch_ingest_job(call: Call, version: str, id: str, state: str) -> Shown:
    """Do a job (`UploadComplete`), or abort it (`Aborted`)."""
    row = _find_job(call, id)
    info = row.fields["info"]
    if state not in ("UploadComplete", "Aborted") or info["state"] not in ("Open", "UploadComplete"):
        raise SalesforceError("INVALIDJOBSTATE", f"Job state cannot be changed from {info['state']} to {state}")
    if state == "Aborted":
        return _change_job(call, row, {"state": state}).fields["info"]
    kind = get_object_or_refuse(info["object"])
    results = _write_rows(call, info["operation"], kind, row.fields["rows"], info["externalIdFieldName"] or "")
    failed = sum(not each["success"] for each in results)
    counts = {"numberRecordsProcessed": len(results), "numberRecordsFailed": failed, "retries": 0}
    _change_job(call, row, {"state": "JobComplete", **counts, "totalProcessingTime": 0}, results=results)
    return {**info, "state": "UploadComplete"}


@api.get(f"{_INGEST}/{{id}}")
def get_ingest_job(call: Call, version: str, id: str) -> Shown:
    """Return what a job has done."""
    timing = {"apiActiveProcessingTime": 0, "apexProcessingTime": 0, "jobType": "V2Ingest"}
    return {**_find_job(call, id).fields["info"], **timing}


@api.delete(f"{_INGEST}/{{id}}", status=204)
def delete_ingest_job(call: Call, version: str, id: str) -> None:
    """Remove a job that is done or aborted."""
    row = _find_job(call, id)
    if row.fields["info"]["state"] not in ("JobComplete", "Aborted", "Failed"):
        raise SalesforceError("INVALIDJOBSTATE", "A job that is not done cannot be deleted")
    call.db.remove(row)


def _list_results(call: Call, id: str, *, failed: bool) -> Response:
    row = _find_job(call, id)
    pairs = zip(row.fields["rows"], row.fields["results"], strict=False)
    kept = [(given, result) for given, result in pairs if result["success"] != failed]
    names: list[str] = row.fields.get("names", [])
    if failed:
        shown = [{"sf__Id": result["id"], "sf__Error": result["error"], **given} for given, result in kept]
        return _write_csv(["sf__Id", "sf__Error", *names], shown)
    shown = [{"sf__Id": result["id"], "sf__Created": result["created"], **given} for given, result in kept]
    return _write_csv(["sf__Id", "sf__Created", *names], shown)


@api.get(f"{_INGEST}/{{id}}/successfulResults")
def list_successes(call: Call, version: str, id: str) -> Response:
    """Return the rows of a job that were written, as CSV."""
    return _list_results(call, id, failed=False)


@api.get(f"{_INGEST}/{{id}}/failedResults")
def list_failures(call: Call, version: str, id: str) -> Response:
    """Return the rows of a job that were refused, as CSV."""
    return _list_results(call, id, failed=True)


@api.get(f"{_INGEST}/{{id}}/unprocessedrecords")
def list_unprocessed(call: Call, version: str, id: str) -> Response:
    """Return the rows of a job that were not tried, as CSV: those of one that is not done."""
    row = _find_job(call, id)
    rows = cast("list[Mapping[str, Any]]", [] if row.fields["results"] else row.fields["rows"])
    return _write_csv(row.fields.get("names", []) if rows else [], rows)


# -- version 2: reading ------------------------------------------------------------------------------------------------

_QUERY = "/services/data/v{version}/jobs/query"


@api.post(_QUERY)
def post_query_job(
    call: Call, version: str, operation: str, query: str, line_ending: str = "LF", column_delimiter: str = "COMMA"
) -> Shown:
    """Create a job that reads records, and do it."""
    if operation not in ("query", "queryAll"):
        raise SalesforceError("INVALIDJOB", f"InvalidJob : Unknown operation: {operation}")
    if column_delimiter not in _DELIMITERS:
        raise SalesforceError("INVALIDJOB", "InvalidJob : Unknown columnDelimiter")
    name, names, records = list_query_records(call, query, deleted=operation == "queryAll")
    info: Shown = {
        "operation": operation, "object": name, "state": "JobComplete", "concurrencyMode": "Parallel",
        "contentType": "CSV", "apiVersion": _number(version), "lineEnding": line_ending,
        "columnDelimiter": column_delimiter,
    }  # fmt: skip
    rows: Rows = [flatten_record(each) for each in records]
    row = _add_job(call, "750", info, rows=rows, names=names)
    row = _change_job(call, row, {"jobType": "V2Query", "numberRecordsProcessed": len(rows), "retries": 0})
    return {**row.fields["info"], "state": "UploadComplete"}


@api.get(_QUERY)
def list_query_jobs(call: Call, version: str) -> Shown:
    """List the jobs that read records."""
    return {"done": True, "nextRecordsUrl": None, "records": _list_jobs(call, ("query", "queryAll"))}


@api.get(f"{_QUERY}/{{id}}")
def get_query_job(call: Call, version: str, id: str) -> Shown:
    """Return a job that reads records."""
    return {**_find_job(call, id).fields["info"], "totalProcessingTime": 0}


@api.patch(f"{_QUERY}/{{id}}")
def abort_query_job(call: Call, version: str, id: str, state: str) -> Shown:
    """Refuse to abort a job, since it is done."""
    row = _find_job(call, id)
    raise SalesforceError("INVALIDJOBSTATE", f"Job {row.key} is in state JobComplete and cannot be {state}")


@api.delete(f"{_QUERY}/{{id}}", status=204)
def delete_query_job(call: Call, version: str, id: str) -> None:
    """Remove a job that reads records."""
    call.db.remove(_find_job(call, id))


@api.get(f"{_QUERY}/{{id}}/results")
def get_query_results(call: Call, version: str, id: str, locator: str = "", max_records: int = 50_000) -> Response:
    """Return records that a job read, as CSV; the header `Sforce-Locator` says where the next ones begin."""
    row = _find_job(call, id)
    start = int(locator) if locator.isdecimal() and len(locator) < 9 else 0
    most = max(max_records, 1)
    page = row.fields["rows"][start : start + most]
    delimiter = _DELIMITERS[row.fields["info"]["columnDelimiter"]]
    answer = _write_csv(row.fields["names"], page, delimiter)
    after = str(start + most) if start + most < len(row.fields["rows"]) else "null"
    return answer._replace(headers=(("Sforce-Locator", after), ("Sforce-NumberOfRecords", str(len(page)))))


# -- version 1 ---------------------------------------------------------------------------------------------------------

_ASYNC = "/services/async/{version}/job"
_SPACE = "http://www.force.com/2009/06/asyncapi/dataload"


def _read_request(content: bytes) -> tuple[Shown, bool]:
    """Return the fields of a body in JSON or XML, and whether it was XML. Raises SalesforceError."""
    text = content.decode("utf-8", "replace").strip()
    try:
        if text.startswith("<"):
            if "<!DOCTYPE" in text or "<!ENTITY" in text:
                raise SalesforceError("InvalidXML", "Document types are not allowed")
            root = ET.fromstring(text)  # noqa: S314 - without entities
            return {each.tag.rpartition("}")[2]: (each.text or "").strip() for each in root}, True
        value: Any = json.loads(text or "{}")
    except (ET.ParseError, ValueError, RecursionError) as error:
        raise SalesforceError("InvalidJob", f"Unable to parse the job: {error}") from None
    if not isinstance(value, dict):
        raise SalesforceError("InvalidJob", "Unable to parse the job")
    return cast(Shown, value), False


def _answer(call: Call, name: str, fields: Shown, status: int = 200, *, as_xml: bool) -> Response:
    if not as_xml:
        return json_answer(fields, status)
    inner = "".join(f"<{key}>{escape(_show_cell(value))}</{key}>" for key, value in fields.items() if value is not None)
    text = f'<?xml version="1.0" encoding="UTF-8"?><{name} xmlns="{_SPACE}">{inner}</{name}>'
    return Response(text.encode(), status, "application/xml")


def _wants_xml(call: Call, row: Any) -> bool:
    exchange: RequestContext = call.memo["exchange"]
    said = exchange.request.content_type
    return "xml" in said if said else bool(row.fields.get("xml"))


@api.post(_ASYNC)
def post_old_job(call: Call, version: str, content: Annotated[bytes, Body]) -> Response:
    """Create a job of version 1."""
    given, as_xml = _read_request(content)
    operation = str(given.get("operation") or "")
    if operation not in (*OPERATIONS, "query", "queryAll"):
        raise SalesforceError("InvalidJob", f"Unknown operation: {operation}")
    kind = get_object_or_refuse(str(given.get("object") or ""))
    zero = dict.fromkeys(
        ("numberBatchesQueued", "numberBatchesInProgress", "numberBatchesCompleted", "numberBatchesFailed",
         "numberBatchesTotal", "numberRecordsProcessed", "numberRetries", "numberRecordsFailed", "totalProcessingTime",
         "apiActiveProcessingTime", "apexProcessingTime"), 0,
    )  # fmt: skip
    info: Shown = {
        "operation": operation, "object": kind.name, "state": "Open",
        "externalIdFieldName": given.get("externalIdFieldName") or None,
        "concurrencyMode": given.get("concurrencyMode") or "Parallel",
        "contentType": given.get("contentType") or "XML", "apiVersion": _number(version), **zero,
    }  # fmt: skip
    row = _add_job(call, "750", info, xml=as_xml)
    return _answer(call, "jobInfo", row.fields["info"], 201, as_xml=as_xml)


@api.get(f"{_ASYNC}/{{id}}")
def get_old_job(call: Call, version: str, id: str) -> Response:
    """Return a job of version 1."""
    row = _find_job(call, id)
    return _answer(call, "jobInfo", row.fields["info"], as_xml=_wants_xml(call, row))


@api.post(f"{_ASYNC}/{{id}}")
def post_job_state(call: Call, version: str, id: str, content: Annotated[bytes, Body]) -> Response:
    """Close or abort a job of version 1."""
    row = _find_job(call, id)
    given, as_xml = _read_request(content)
    if given.get("state") not in ("Closed", "Aborted"):
        raise SalesforceError("InvalidJobState", f"Unknown state: {given.get('state')}")
    return _answer(call, "jobInfo", _change_job(call, row, {"state": given["state"]}).fields["info"], as_xml=as_xml)


def _read_rows(kind: str, content: bytes) -> Rows:
    text = content.decode("utf-8", "replace")
    if kind == "CSV":
        return _read_csv(text)
    if kind == "JSON":
        try:
            value: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SalesforceError("InvalidBatch", f"Unable to parse the records: {error}") from None
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in cast(list[Any], value)):
            raise SalesforceError("InvalidBatch", "The records must be a list of objects")
        return cast(Rows, value)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise SalesforceError("InvalidXML", "Document types are not allowed")
    try:
        root = ET.fromstring(text)  # noqa: S314 - without entities
    except ET.ParseError as error:
        raise SalesforceError("InvalidXML", str(error)) from None
    return [{cell.tag.rpartition("}")[2]: (cell.text or "").strip() for cell in each} for each in root]


@api.post(f"{_ASYNC}/{{id}}/batch")
def post_batch(call: Call, version: str, id: str, content: Annotated[bytes, Body]) -> Response:
    """Add a batch to a job of version 1, and do it."""
    job = _find_job(call, id)
    info = job.fields["info"]
    if info["state"] != "Open":
        raise SalesforceError("InvalidJobState", f"Job is in state {info['state']}")
    kind = get_object_or_refuse(info["object"])
    now = show_time(call.clock.iso())
    number = call.db.next("bulk_job")
    batch = make_id("751", number)
    more: Shown = {}
    if info["operation"] in ("query", "queryAll"):
        text = content.decode("utf-8", "replace")
        _, names, records = list_query_records(call, text, deleted=info["operation"] == "queryAll")
        more = {"records": records, "names": names, "result": make_id("752", number)[:15]}
        failed, processed = 0, len(records)
    else:
        rows = _read_rows(str(info["contentType"]), content)
        results = _write_rows(call, info["operation"], kind, rows, str(info["externalIdFieldName"] or ""))
        more = {"results": results}
        failed, processed = sum(not each["success"] for each in results), len(results)
    shown: Shown = {
        "id": batch, "jobId": job.key, "state": "Completed", "stateMessage": None, "createdDate": now,
        "systemModstamp": now, "numberRecordsProcessed": 0 if more.get("names") else processed,
        "numberRecordsFailed": failed, "totalProcessingTime": 0, "apiActiveProcessingTime": 0, "apexProcessingTime": 0,
    }  # fmt: skip
    call.db.add(JOBS(scope=job.key, key=batch, fields={"info": shown, **more}, number=number))
    _change_job(call, job, {"numberBatchesTotal": info["numberBatchesTotal"] + 1,
                            "numberBatchesCompleted": info["numberBatchesCompleted"] + 1,
                            "numberRecordsProcessed": info["numberRecordsProcessed"] + processed})  # fmt: skip
    queued = {**shown, "state": "Queued", "numberRecordsProcessed": 0, "numberRecordsFailed": 0}
    return _answer(call, "batchInfo", queued, 201, as_xml=info["contentType"] != "JSON")


def _find_batch(call: Call, id: str, batch: str) -> tuple[Any, Any]:
    job, table = _find_job(call, id), JOBS
    row = call.db.find(table, table.scope == job.key, table.key == batch)
    if row is None:
        raise NoSuchResource
    return job, row


@api.get(f"{_ASYNC}/{{id}}/batch")
def list_batches(call: Call, version: str, id: str) -> Response:
    """List the batches of a job of version 1."""
    job, table = _find_job(call, id), JOBS
    rows = call.db.rows(table, table.scope == job.key, order=table.number)
    if job.fields["info"]["contentType"] == "JSON":
        return json_answer({"batchInfo": [row.fields["info"] for row in rows]})
    inner = "".join(
        _answer(call, "batchInfo", row.fields["info"], as_xml=True).body.decode().partition("?>")[2] for row in rows
    )
    text = f'<?xml version="1.0" encoding="UTF-8"?><batchInfoList xmlns="{_SPACE}">{inner}</batchInfoList>'
    return Response(text.encode(), content_type="application/xml")


@api.get(f"{_ASYNC}/{{id}}/batch/{{batchId}}")
def get_batch(call: Call, version: str, id: str, batch_id: str) -> Response:
    """Return a batch of a job of version 1."""
    job, row = _find_batch(call, id, batch_id)
    return _answer(call, "batchInfo", row.fields["info"], as_xml=job.fields["info"]["contentType"] != "JSON")


def _show_refusal(said: str) -> Shown:
    return {"message": said, "statusCode": said.partition(":")[0]}


@api.get(f"{_ASYNC}/{{id}}/batch/{{batchId}}/result")
def get_batch_results(call: Call, version: str, id: str, batch_id: str) -> Response:
    """Return the result of each row of a batch, or the ids of the results of a query."""
    job, row = _find_batch(call, id, batch_id)
    content_type = job.fields["info"]["contentType"]
    if "result" in row.fields:
        if content_type == "JSON":
            return json_answer([row.fields["result"]])
        text = f'<result-list xmlns="{_SPACE}"><result>{row.fields["result"]}</result></result-list>'
        return Response(text.encode(), content_type="application/xml")
    results: list[Shown] = row.fields["results"]
    if content_type == "JSON":
        shown = [
            {
                "success": each["success"],
                "created": each["created"],
                "id": each["id"] or None,
                "errors": [] if each["success"] else [_show_refusal(each["error"])],
            }
            for each in results
        ]
        return json_answer(shown)
    rows = [
        {"Id": each["id"], "Success": each["success"], "Created": each["created"], "Error": each["error"]}
        for each in results
    ]
    return _write_csv(["Id", "Success", "Created", "Error"], rows)


@api.get(f"{_ASYNC}/{{id}}/batch/{{batchId}}/result/{{resultId}}")
def get_batch_result(call: Call, version: str, id: str, batch_id: str, result_id: str) -> Response:
    """Return the records that a query of version 1 found."""
    job, row = _find_batch(call, id, batch_id)
    if row.fields.get("result") != result_id:
        raise NoSuchResource
    if job.fields["info"]["contentType"] == "JSON":
        return json_answer(row.fields["records"])
    return _write_csv(row.fields["names"], [flatten_record(each) for each in row.fields["records"]])
