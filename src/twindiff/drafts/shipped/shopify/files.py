"""Files of the CDN, of which type and size are known: images of products."""

from __future__ import annotations

from twindiff.kit.call import Call
from twindiff.kit.downloads import file_answer
from twindiff.kit.http import Response
from twindiff.kit.twin import Operations

from ...wire_style import DRAFTED_HEADER
from .tables import ShopifyFile
from .wire_style import ShopifyError

api = Operations()
MAX_FILE_BYTES = 50_000_000


@api.get("/s/files/{path:path}", open=True)
def get_file(call: Call, path: str) -> Response:
    """Return zeros as a file of its type and size."""
    row = call.db.find(ShopifyFile, ShopifyFile.path == path)
    if row is None:
        raise ShopifyError(404, "Not Found")
    headers = ((DRAFTED_HEADER, "partly; guessed=bytes"),)
    return file_answer(bytes(min(row.size, MAX_FILE_BYTES)), row.media_type, headers=headers)
