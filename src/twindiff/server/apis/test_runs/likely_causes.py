"""Likely causes of a failed test: requests that were refused, and vendors' own hosts that the application could not
reach.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from twindiff.browser.job import RunEvent
from twindiff.kit.twin import Twin
from twindiff.kit.vendor_hosts import has_vendor_host

MAX_CAUSES = 3
"""Causes of each kind that a failure names."""
_HOST = re.compile(r"(?<![\w.@-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?![\w-])", re.IGNORECASE)
_FAILED = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|getaddrinfo|UnknownHost"
    r"|no such host|(?:name|host)[\w ]{0,20} not (?:known|found|resolved)|unreachable|max retries exceeded"
    r"|connect\w{0,3}[ -]?(?:error|refused|reset|failed|failure|aborted|closed|timeout)|timed out|i/o timeout"
    r"|(?:fail\w{0,3}|unable|could ?n[o']t|can ?n[o']t|error)\b[^\n]{0,60}\b(?:resolv|connect|reach|proxy|tunnel)"
    r"|resolution|proxy ?error|self[- ]signed|certificate[\w ]{0,20} (?:fail|problem|unknown|invalid|error)",
    re.IGNORECASE,
)
"""Words by which programs say that a host could not be reached."""


def find_unreached_hosts(printed: Iterable[str], twins: Sequence[Twin]) -> Mapping[str, Twin]:
    """The vendors' own hosts that lines of output name as not reached, each with the twin that stands in for it."""
    lines = [line for line in printed if _FAILED.search(line)]
    named = dict.fromkeys(host.lower() for line in lines for host in _HOST.findall(line))
    unreached = {host: twin for host in named for twin in twins if has_vendor_host(twin.hosts, host)}
    return dict([*unreached.items()][:MAX_CAUSES])


def describe_unreached(host: str, twin: Twin) -> str:
    """Say that an application has called a vendor's own host, and what leads it to the twin."""
    return (
        f"the application did not reach {host}, the vendor's own host: lead it to the address of the twin "
        f"'{twin.name}' by its variables, or set `proxy: true` in .arga/sandbox.yml"
    )


def with_likely_causes(end: RunEvent, causes: Sequence[str]) -> RunEvent:
    """Add causes to the final event of a run that failed."""
    if not causes or end.data["status"] != "failed":
        return end
    said = "\n".join(
        [str(end.data.get("failure_detail") or end.message), *(f"a likely cause: {each}" for each in causes)]
    )
    return RunEvent(end.type, said, {**end.data, "failure_detail": said})
