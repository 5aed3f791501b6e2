"""Box Doc Gen templates (API version 2025.0). Documents are not generated from them here.

https://developer.box.com/guides/docgen
"""

from __future__ import annotations

from typing import Literal

from twindiff.kit import Call, Operations, Struct
from twindiff.twins.box.wire_style import BadRequest, check_limit, marker_page, require_version

from ..core.access import NONE, find_file, rights
from ..core.contents import bytes_of, current_version
from ..core.errors import NotFound
from ..core.row_stamps import extension_of
from ..core.text_extraction import text_of
from ..governance.retention_assignments import page_of
from ..tables.further_tables import DocGenTemplate
from ..tables.item_tables import File, FileVersion
from ..views.item_views import Shown
from .docgen_tags import tags_in

api = Operations(prefix="/2.0", layers=(require_version,))


class FileRef(Struct):
    """A reference to a file."""

    id: str
    type: Literal["file"] = "file"


def _template_object(file: File) -> Shown:
    return {"file": {"type": "file", "id": file.id}, "file_name": file.name}


def _find(call: Call, id: str) -> File:
    template = call.db.find(DocGenTemplate, DocGenTemplate.file_id == id)
    if template is None:
        raise NotFound.of("docgen_template", id)
    return find_file(call, id)


@api.get("/docgen_templates")
def list_templates(call: Call, marker: str = "", limit: int = 100) -> Shown:
    """List the templates that the caller can see.

    https://developer.box.com/reference/v2025.0/get-docgen-templates
    """
    ids = [id for (id,) in call.db.rows(DocGenTemplate, columns=(DocGenTemplate.file_id,))]
    files = call.db.rows(File, File.id.in_(ids), File.item_status == "active", order=File.id)
    return page_of([file for file in files if rights(call, file) != NONE], _template_object, marker, limit)


@api.post("/docgen_templates", status=201)
def mark_template(call: Call, file: FileRef) -> Shown:
    """Mark a Word document as a template. One that is marked already stays so.

    https://developer.box.com/reference/v2025.0/post-docgen-templates
    """
    marked = find_file(call, file.id, "edit")
    if extension_of(marked.name or "").lower() != "docx":
        raise BadRequest.of("invalid_parameter", "file", "A template is a file of the type DOCX.")
    if call.db.find(DocGenTemplate, DocGenTemplate.file_id == marked.id) is None:
        call.db.add(DocGenTemplate(file_id=marked.id, created_by_id=call.actor))
    return {"file": {"type": "file", "id": marked.id}}


@api.get("/docgen_templates/{template_id}")
def get_template(call: Call, template_id: str) -> Shown:
    """Get a template.

    https://developer.box.com/reference/v2025.0/get-docgen-templates-id
    """
    return _template_object(_find(call, template_id))


@api.delete("/docgen_templates/{template_id}", status=204)
def unmark_template(call: Call, template_id: str) -> None:
    """Unmark a file as a template.

    https://developer.box.com/reference/v2025.0/delete-docgen-templates-id
    """
    file = find_file(call, _find(call, template_id).id, "edit")
    call.db.remove(call.db.get(DocGenTemplate, file.id))


@api.get("/docgen_templates/{template_id}/tags")
def list_tags(call: Call, template_id: str, template_version_id: str = "", marker: str = "", limit: int = 100) -> Shown:
    """List the tags in a template, or in one of its versions.

    https://developer.box.com/reference/v2025.0/get-docgen-templates-id-tags
    """
    file = _find(call, template_id)
    version = current_version(call, file)
    if template_version_id:
        of = (FileVersion.id == template_version_id, FileVersion.file_id == file.id)
        version = call.db.find(FileVersion, *of)
        if version is None:
            raise NotFound.of("template_version_id", template_version_id)
    text = text_of(bytes_of(call, version), version.name or file.name or "")
    return page_of([*tags_in(text)], lambda tag: tag, marker, limit)


@api.get("/docgen_template_jobs/{template_id}")
def list_template_jobs(call: Call, template_id: str, marker: str = "", limit: int = 100) -> Shown:
    """List the jobs of a template; there are none.

    https://developer.box.com/reference/v2025.0/get-docgen-template-jobs-id
    """
    _find(call, template_id)
    return marker_page([], check_limit(limit), None)


@api.get("/docgen_jobs")
def list_jobs(call: Call, marker: str = "", limit: int = 100) -> Shown:
    """List jobs; there are none.

    https://developer.box.com/reference/v2025.0/get-docgen-jobs
    """
    return marker_page([], check_limit(limit), None)


@api.get("/docgen_jobs/{job_id}")
def get_job(call: Call, job_id: str) -> None:
    """Get a job; there are none.

    https://developer.box.com/reference/v2025.0/get-docgen-jobs-id
    """
    raise NotFound.of("docgen_job", job_id)


@api.get("/docgen_batch_jobs/{batch_id}")
def list_batch_jobs(call: Call, batch_id: str) -> None:
    """List the jobs of a batch; there are none.

    https://developer.box.com/reference/v2025.0/get-docgen-batch-jobs-id
    """
    raise NotFound.of("docgen_batch", batch_id)
