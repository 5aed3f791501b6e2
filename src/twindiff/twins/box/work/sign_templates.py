"""Templates for requests for signatures. They are not created here; their owners make them in Box's web app.

https://developer.box.com/guides/box-sign/document-types/sign-templates
"""

from __future__ import annotations

from twindiff.kit import Call, Operations

from ..core.errors import NotFound
from ..core.folder_listing import rows_from
from ..tables.further_tables import SignTemplate
from ..tables.item_tables import File, Folder
from ..views.item_views import Shown, folder_mini, item_object

api = Operations(prefix="/2.0")
_SAID = (
    "name",
    "email_subject",
    "email_message",
    "days_valid",
    "are_fields_locked",
    "are_options_locked",
    "are_recipients_locked",
    "are_email_settings_locked",
    "are_files_locked",
)
_SIGNER: Shown = {"role": "signer", "is_in_person": False, "order": 0, "inputs": []}
_PERHAPS = ("additional_info", "ready_sign_link", "custom_branding")


def _template_object(call: Call, row: SignTemplate) -> Shown:
    folder = call.db.find(Folder, Folder.id == row.parent_folder_id)
    files = [call.db.find(File, File.id == each["id"]) for each in row.source_files]
    return {
        "type": row.type,
        "id": row.id,
        **{name: getattr(row, name) for name in _SAID},
        **{name: getattr(row, name) for name in _PERHAPS if getattr(row, name) is not None},
        "source_files": [item_object(call, file, mini=True) for file in files if file],
        "signers": [
            {"inputs": [], "is_in_person": False, "order": 0, "role": "signer", **each} for each in row.signers
        ],
        **({"parent_folder": folder_mini(folder)} if folder else {}),
    }


def find_template(call: Call, id: str) -> SignTemplate:
    """Return a template of the caller; raise NotFound if there is none."""
    row = call.db.find(SignTemplate, SignTemplate.id == id)
    if row is None or row.created_by_id != call.actor:
        raise NotFound.of("sign_template", id)
    return row


@api.get("/sign_templates")
def list_templates(call: Call, marker: str = "", limit: int = 100) -> Shown:
    """List the caller's templates.

    https://developer.box.com/reference/get-sign-templates
    """
    mine = SignTemplate.created_by_id == call.actor
    rows, more = rows_from(call, marker, limit, SignTemplate, mine, order=SignTemplate.id)
    return {"entries": [_template_object(call, row) for row in rows], "limit": limit, "next_marker": more}


@api.get("/sign_templates/{template_id}")
def get_template(call: Call, template_id: str) -> Shown:
    """Get a template.

    https://developer.box.com/reference/get-sign-templates-id
    """
    return _template_object(call, find_template(call, template_id))
