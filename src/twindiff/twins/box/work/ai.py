"""Box AI, as in an enterprise that has not bought it: requests are validated and then refused.

A twin has no language model, and an invented response would mislead its user. https://developer.box.com/guides/box-ai
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NoReturn

from twindiff.kit import Call, Meta, Operations, Struct
from twindiff.twins.box.wire_style import BadRequest, check_limit, marker_page

from ..core.access import find_file
from ..core.errors import Forbidden

api = Operations(prefix="/2.0")


class AiItem(Struct):
    """A file or a hub that a request is about."""

    id: str
    type: Literal["file", "hubs"] = "file"
    content: str | None = None


class TemplateReference(Struct):
    """The metadata template whose fields are extracted."""

    template_key: str = ""
    scope: Annotated[str, Meta(max_length=40)] = ""
    type: Literal["metadata_template"] = "metadata_template"


Items = Annotated[list[AiItem], Meta(min_length=1, max_length=25)]
Prompt = Annotated[str, Meta(min_length=1, max_length=10_000)]


def _refuse(call: Call, items: list[AiItem]) -> NoReturn:
    for item in items:
        if item.type == "file":
            find_file(call, item.id, "download")
    raise Forbidden("Box AI is not enabled for this enterprise")


@api.post("/ai/ask", reads=True)
def ask(call: Call, mode: Literal["multiple_item_qa", "single_item_qa"], prompt: Prompt, items: Items) -> None:
    """Validate a question about files, then refuse it.

    https://developer.box.com/reference/post-ai-ask
    """
    if mode == "single_item_qa" and len(items) > 1:
        raise BadRequest.of("invalid_parameter", "items", "The mode 'single_item_qa' takes one item.")
    _refuse(call, items)


@api.post("/ai/text_gen", reads=True)
def text_gen(call: Call, prompt: Prompt, items: Annotated[list[AiItem], Meta(min_length=1, max_length=1)]) -> None:
    """Validate a request to generate text, then refuse it.

    https://developer.box.com/reference/post-ai-text-gen
    """
    _refuse(call, items)


@api.post("/ai/extract", reads=True)
def extract(call: Call, prompt: Prompt, items: Items) -> None:
    """Validate a request to extract metadata by a prompt, then refuse it.

    https://developer.box.com/reference/post-ai-extract
    """
    _refuse(call, items)


@api.post("/ai/extract_structured", reads=True)
def extract_structured(
    call: Call,
    items: Items,
    metadata_template: TemplateReference | None = None,
    fields: Annotated[list[dict[str, Any]], Meta(min_length=1)] | None = None,
) -> None:
    """Validate a request to extract the fields of a template, then refuse it.

    https://developer.box.com/reference/post-ai-extract-structured
    """
    if (metadata_template is None) is (fields is None):
        raise BadRequest.of("invalid_parameter", "fields", "Either 'metadata_template' or 'fields' is required.")
    _refuse(call, items)


@api.get("/ai_agents")
def list_agents(call: Call, marker: str = "", limit: int = 100) -> dict[str, Any]:
    """List AI agents; there are none.

    https://developer.box.com/reference/get-ai-agents
    """
    return marker_page([], check_limit(limit), None)
