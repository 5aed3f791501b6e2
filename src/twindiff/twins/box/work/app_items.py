"""App items, which link content to Box apps. There are no such apps here.

https://developer.box.com/reference/resources/app-item-association
"""

from __future__ import annotations

from twindiff.kit import Call, Operations
from twindiff.twins.box.wire_style import check_limit, marker_page

from ..core.access import find_file, find_folder
from ..views.item_views import Shown

api = Operations(prefix="/2.0")


@api.get("/files/{file_id}/app_item_associations")
def list_of_file(call: Call, file_id: str, limit: int = 100, marker: str = "", application_type: str = "") -> Shown:
    """List the app items of a file; there are none.

    https://developer.box.com/reference/get-files-id-app-item-associations
    """
    find_file(call, file_id)
    return marker_page([], check_limit(limit), None)


@api.get("/folders/{folder_id}/app_item_associations")
def list_of_folder(call: Call, folder_id: str, limit: int = 100, marker: str = "", application_type: str = "") -> Shown:
    """List the app items of a folder; there are none.

    https://developer.box.com/reference/get-folders-id-app-item-associations
    """
    find_folder(call, folder_id)
    return marker_page([], check_limit(limit), None)
