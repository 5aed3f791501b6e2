"""The registry of the tools of GitHub's own MCP server, and what their arguments have in common.

https://github.com/github/github-mcp-server
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import Meta
from twindiff.kit.agent_tools import Caller, ToolRefused, VendorTools

PageSize = Annotated[int, Meta(ge=1, le=100)]
Page = Annotated[int, Meta(ge=1)]
Event = Literal["APPROVE", "REQUEST_CHANGES", "COMMENT"]
REPO = "/repos/{owner}/{repo}"
ISSUE, PULL, RUN = f"{REPO}/issues/{{issue_number}}", f"{REPO}/pulls/{{pull_number}}", f"{REPO}/actions/runs/{{run_id}}"
FILE = f"{REPO}/contents/{{path:path}}"

tools = VendorTools(
    host="api.githubcopilot.com",
    core=(
        "GET /user",
        f"GET {REPO}",
        f"GET {FILE}",
        f"PUT {FILE}",
        f"GET {REPO}/branches",
        f"GET {REPO}/commits",
        f"POST {REPO}/git/refs",
        f"GET {REPO}/issues",
        f"POST {REPO}/issues",
        f"GET {ISSUE}",
        f"PATCH {ISSUE}",
        f"GET {ISSUE}/comments",
        f"POST {ISSUE}/comments",
        f"GET {REPO}/pulls",
        f"POST {REPO}/pulls",
        f"GET {PULL}",
        f"PATCH {PULL}",
        f"GET {PULL}/files",
        f"POST {PULL}/reviews",
        f"PUT {PULL}/merge",
        f"GET {REPO}/actions/runs",
        f"GET {RUN}/jobs",
        "GET /search/issues",
        "GET /search/code",
        "GET /search/repositories",
    ),
)


async def ask_graphql(call: Caller, query: str, **variables: Any) -> Any:
    """Return the data of a document; raise ToolRefused with the message of its first error."""
    answer = await call("POST /graphql", query=query, variables=variables)
    if answer.get("errors"):
        raise ToolRefused(answer["errors"][0]["message"])
    return answer["data"]
