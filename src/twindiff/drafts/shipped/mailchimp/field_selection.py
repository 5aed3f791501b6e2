"""The fields of an answer that a request asks for. https://mailchimp.com/developer/marketing/docs/methods-parameters/"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.request_context import RequestContext

from .wire_style import MailchimpError

Paths = dict[str, Any]
"""Names of fields, each with the paths below it; one without any is taken whole."""


def select_fields(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Answer with the `fields`, or without the `exclude_fields`, that the query of a GET names: `lists.id,total_items`.

    Raises MailchimpError for a request with both.
    """
    shown = proceed()
    if exchange.operation.declared.verb != "GET" or not isinstance(shown, dict):
        return shown
    wanted, unwanted = (_read_paths(exchange.parameters.get(name)) for name in ("fields", "exclude_fields"))
    if wanted and unwanted:
        raise MailchimpError(400, "fields and exclude_fields exclude each other")
    if wanted:
        return _keep(shown, wanted)
    return _drop(shown, unwanted) if unwanted else cast(Any, shown)


def _read_paths(given: Any) -> Paths:
    texts = cast(list[Any], given) if isinstance(given, list) else [given or ""]
    paths: Paths = {}
    for path in ",".join(map(str, texts)).split(","):
        below = paths
        for name in filter(None, path.strip().split(".")):
            below = below.setdefault(name, {})
    return paths


def _keep(value: Any, paths: Paths) -> Any:
    if isinstance(value, list):
        return [_keep(each, paths) for each in cast(list[Any], value)]
    if not paths or not isinstance(value, Mapping):
        return value
    fields = cast(Mapping[str, Any], value)
    return {name: _keep(each, paths[name]) for name, each in fields.items() if name in paths}


def _drop(value: Any, paths: Paths) -> Any:
    if isinstance(value, list):
        return [_drop(each, paths) for each in cast(list[Any], value)]
    if not paths or not isinstance(value, Mapping):
        return value
    fields = cast(Mapping[str, Any], value)
    return {name: _drop(each, paths.get(name, {})) for name, each in fields.items() if paths.get(name) != {}}
