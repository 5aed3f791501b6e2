"""`POST /validate/url/probe`: whether an application responds at a URL, and which twins it would need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

from twindiff.browser.config import check_url
from twindiff.kit.twin import Operations, Twin
from twindiff.server.apis.test_runs.runs import InvalidTestConfig, or_invalid
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext
from twindiff.server.webhook_client import TargetRefused, WebhookClient

api = Operations()

MAX_SCRIPTS = 5
_SCRIPT = re.compile(r"<script[^>]+src\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>([^<]{0,200})", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?:)?//([\w-]+(?:\.[\w-]+)+)(?:/([\w.-]+))?")


@api.post("/validate/url/probe")
async def probe_url(desk: TwinRunContext, url: str) -> dict[str, Any]:
    """Probe a URL: whether an application responds, and the twins whose vendors its page and scripts mention.
    Calls made only by its server cannot be detected. URLs must be on this machine, or on hosts that `twindiff serve
    --allow-webhooks-to` names.
    """
    or_invalid(lambda: check_url(url, "url"))
    service = desk.runs.service
    targets = WebhookClient(frozenset(service.settings.webhook_hosts), service.ports.listening)
    try:
        seen = await service.runtime.run_on_loop(_probe_page(targets, url, [*service.registry.twins.values()]))
    except TargetRefused as error:
        raise InvalidTestConfig(f"url: {error}") from None
    return {"url": url, **seen}


async def _probe_page(targets: WebhookClient, url: str, twins: list[Twin]) -> dict[str, Any]:
    """Read a page and its scripts, and find the twins mentioned there; raises TargetRefused."""
    await targets.ready()
    import httpx

    try:
        answer = await targets.read(url)
        page = answer.body.decode(errors="replace")
        texts = [page, *[await _script(targets, each) for each in _scripts(url, page)]]
    except (OSError, TimeoutError, httpx.HTTPError, httpx.InvalidURL) as error:
        nothing: dict[str, Any] = {"status": None, "title": None, "twins": [], "evidence": {}}
        return {**nothing, "reachable": False, "message": f"nothing answers there: {error or type(error).__name__}"}
    finally:
        await targets.close()
    title = _TITLE.search(page)
    evidence = {twin.name: named for twin in twins if (named := _find_vendor_address(twin, texts))}
    return {
        "status": answer.status,
        "title": unescape(title[1]).strip() if title else None,
        "twins": [*evidence],
        "evidence": evidence,
        "reachable": True,
        "message": f"its page names {', '.join(evidence)}" if evidence else "its page names no vendor of a twin",
    }


def _scripts(url: str, page: str) -> list[str]:
    """The URLs of a page's scripts on its own host."""
    named = [unescape(each) for each in _SCRIPT.findall(page)[: 4 * MAX_SCRIPTS]]
    addresses = [urljoin(url, each) for each in named if "[" not in each]
    return [each for each in addresses if urlsplit(each).netloc == urlsplit(url).netloc][:MAX_SCRIPTS]


async def _script(targets: WebhookClient, url: str) -> str:
    import httpx

    try:
        return (await targets.read(url)).body.decode(errors="replace")
    except (OSError, TimeoutError, httpx.HTTPError, httpx.InvalidURL):
        return ""


def _find_vendor_address(twin: Twin, texts: list[str]) -> str | None:
    """The first URL of a twin's vendor: its name is a label of the host, or the first segment of the path."""
    names = {twin.name, *twin.aliases}
    return next((said for text in texts for said, words in _addresses(text) if words & names), None)


def _addresses(text: str) -> Iterator[tuple[str, set[str]]]:
    for match in _ADDRESS.finditer(text):
        host, path = match[1].lower(), match[2] or ""
        yield host + (f"/{path}" if path else ""), {*host.split("."), path}
