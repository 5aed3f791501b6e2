"""Webhooks of repositories and organizations, and how they are delivered with GitHub's signature.

https://docs.github.com/en/rest/repos/webhooks
https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha1, sha256
from typing import Annotated, Any
from urllib.parse import urlencode

import msgspec

from twindiff.kit import UNSET, Body, Call, Operations, Store, Struct, UnsetType, field
from twindiff.kit.clock import micros_of
from twindiff.kit.events import DeliveryAttempt, Emitted, Notification, Subscription, WebhookRequest, Webhooks
from twindiff.kit.links import split_url

from ..core.access import find_org, find_repo
from ..core.listing import paginate, slice_page
from ..core.stamps import new_id, times_of
from ..tables.repository_tables import Hook, Repository
from ..views.repository_views import repo_url
from ..wire_style import NotVisible, Unprocessable, invalid

api = Operations()
EVENTS = frozenset(
    [
        "*",
        "branch_protection_rule",
        "check_run",
        "check_suite",
        "code_scanning_alert",
        "commit_comment",
        "create",
        "delete",
        "dependabot_alert",
        "deployment",
        "deployment_status",
        "discussion",
        "discussion_comment",
        "fork",
        "gollum",
        "issue_comment",
        "issues",
        "label",
        "member",
        "membership",
        "merge_group",
        "meta",
        "milestone",
        "organization",
        "page_build",
        "ping",
        "project",
        "project_card",
        "project_column",
        "projects_v2",
        "projects_v2_item",
        "projects_v2_status_update",
        "public",
        "pull_request",
        "pull_request_review",
        "pull_request_review_comment",
        "pull_request_review_thread",
        "push",
        "registry_package",
        "release",
        "repository",
        "repository_import",
        "repository_vulnerability_alert",
        "secret_scanning_alert",
        "star",
        "status",
        "sub_issues",
        "team",
        "team_add",
        "watch",
        "workflow_dispatch",
        "workflow_job",
        "workflow_run",
    ]
)
MAX_HOOKS = 20
FORM = "__form"
"""The key by which a message says that its body is a form."""


class HookConfig(Struct):
    """Where a hook is delivered and how."""

    url: str | UnsetType = UNSET
    content_type: str | UnsetType = UNSET
    secret: str | UnsetType = UNSET
    insecure_ssl: str | int | UnsetType = UNSET


class HookBody(Struct):
    """A hook to make or to change."""

    name: str = "web"
    config: HookConfig | UnsetType = UNSET
    events: list[str] | UnsetType = UNSET
    add_events: list[str] = field(default_factory=list[str])
    remove_events: list[str] = field(default_factory=list[str])
    active: bool | UnsetType = UNSET


def _config_of(hook: Hook) -> dict[str, Any]:
    shown: dict[str, Any] = {"content_type": hook.content_type, "insecure_ssl": hook.insecure_ssl, "url": hook.url}
    return shown | {"secret": "********"} if hook.secret else shown


def show_hook(call: Call, hook: Hook) -> dict[str, Any]:
    """Render a hook of a repository or an organization."""
    repo = call.db.get(Repository, hook.repository_id) if hook.repository_id else None
    base = f"{repo_url(call, repo) if repo else f'{call.base_url}/orgs/{hook.org}'}/hooks/{hook.id}"
    shown: dict[str, Any] = {
        "type": "Repository" if repo else "Organization",
        "id": hook.id,
        "name": "web",
        "active": hook.active,
        "events": hook.events,
        "config": _config_of(hook),
        **times_of(hook),
        "url": base,
        "ping_url": f"{base}/pings",
        "deliveries_url": f"{base}/deliveries",
    }
    if repo:
        shown |= {"test_url": f"{base}/test", "last_response": {"code": None, "status": "unused", "message": None}}
    return shown


def _columns_of(body: HookBody, known: Hook | None) -> dict[str, Any]:
    """Return the columns that a body sets; raise GitHub's 422 for addresses and events that cannot be."""
    columns: dict[str, Any] = {}
    if isinstance(body.config, HookConfig):
        given = {name: getattr(body.config, name) for name in ("url", "content_type", "secret")}
        columns |= {name: value for name, value in given.items() if value is not UNSET}
        if columns.get("content_type") == "application/json":
            columns["content_type"] = "json"
        if body.config.insecure_ssl is not UNSET:
            columns["insecure_ssl"] = str(body.config.insecure_ssl)
    if body.active is not UNSET:
        columns["active"] = body.active
    events = list(known.events) if known else ["push"]
    if isinstance(body.events, list):
        events = list(dict.fromkeys(body.events))
    events = [event for event in [*events, *body.add_events] if event not in body.remove_events]
    unknown = [event for event in events if event not in EVENTS]
    if unknown:
        raise invalid("Hook", "events", "custom", f"These events are not allowed for this hook: {', '.join(unknown)}")
    url = columns.get("url", known.url if known else "")
    if split_url(url).scheme not in ("http", "https") or not split_url(url).hostname:
        raise invalid("Hook", "url", "custom", "url is missing a scheme")
    if columns.get("content_type", "form") not in ("form", "json"):
        raise invalid("Hook", "content_type")
    return columns | {"events": list(dict.fromkeys(events))}


def _scope_of(call: Call) -> dict[str, Any]:
    """Return the column that hooks of the request's owner have."""
    names: dict[str, str] = call.memo["parameters"]
    if "org" in names:
        return {"org": find_org(call, names["org"]).login}
    return {"repository_id": find_repo(call, names["owner"], names["repo"]).id}


def _conditions(call: Call) -> list[Any]:
    ((name, value),) = _scope_of(call).items()
    return [Hook.org == value if name == "org" else Hook.repository_id == value]


def _find_hook(call: Call, hook_id: int) -> Hook:
    hook = call.db.find(Hook, Hook.id == hook_id, *_conditions(call))
    if hook is None:
        raise NotVisible
    return hook


def list_hooks(call: Call) -> Any:
    """List the hooks."""
    return paginate(call, Hook, *_conditions(call), by=Hook.id, show=lambda hook: show_hook(call, hook))


def create_hook(call: Call, body: Annotated[HookBody, Body]) -> Any:
    """Make a hook, which is told of itself by a ping."""
    owner, columns, now = _scope_of(call), _columns_of(body, None), call.clock.iso()
    others = call.db.rows(Hook, *_conditions(call))
    if any((other.url, other.events) == (columns["url"], columns["events"]) for other in others):
        raise Unprocessable(
            "Validation Failed",
            errors=[{"resource": "Hook", "code": "custom", "message": "Hook already exists on this repository"}],
        )
    if len(others) >= MAX_HOOKS:
        raise Unprocessable(
            "Validation Failed",
            errors=[
                {
                    "resource": "Hook",
                    "code": "custom",
                    "message": f'The "push" event cannot have more than {MAX_HOOKS} hooks',
                }
            ],
        )
    hook = call.db.add(Hook(id=new_id(call), created_at=now, updated_at=now, **owner, **columns))
    ping(call, hook)
    return show_hook(call, hook)


def get_hook(call: Call, hook_id: int) -> Any:
    """Get a hook."""
    return show_hook(call, _find_hook(call, hook_id))


def update_hook(call: Call, hook_id: int, body: Annotated[HookBody, Body]) -> Any:
    """Change a hook."""
    hook = _find_hook(call, hook_id)
    return show_hook(call, call.db.change(hook, updated_at=call.clock.iso(), **_columns_of(body, hook)))


def delete_hook(call: Call, hook_id: int) -> None:
    """Delete a hook."""
    call.db.remove(_find_hook(call, hook_id))


def ping_hook(call: Call, hook_id: int) -> None:
    """Send a ping to a hook."""
    hook = _find_hook(call, hook_id)
    ping(call, call.db.change(hook, updated_at=call.clock.iso()))


def get_config(call: Call, hook_id: int) -> Any:
    """Get where a hook is delivered and how."""
    return _config_of(_find_hook(call, hook_id))


def update_config(call: Call, hook_id: int, body: Annotated[HookConfig, Body]) -> Any:
    """Change where a hook is delivered and how."""
    hook = _find_hook(call, hook_id)
    columns = _columns_of(HookBody(config=body), hook)
    return _config_of(call.db.change(hook, updated_at=call.clock.iso(), **columns))


def list_deliveries(call: Call, hook_id: int) -> Any:
    """List no deliveries: the platform's API has them."""
    _find_hook(call, hook_id)
    return slice_page(call, list[Any]())


def _declare(path: str) -> None:
    """Declare the operations on hooks below a path."""
    one = f"{path}/{{hook_id}}"
    api.get(path)(list_hooks)
    api.post(path, status=201)(create_hook)
    api.get(one)(get_hook)
    api.patch(one)(update_hook)
    api.delete(one, status=204)(delete_hook)
    api.post(f"{one}/pings", status=204)(ping_hook)
    api.post(f"{one}/tests", status=204)(ping_hook)
    api.get(f"{one}/config")(get_config)
    api.patch(f"{one}/config")(update_config)
    api.get(f"{one}/deliveries")(list_deliveries)


_declare("/repos/{owner}/{repo}/hooks")
_declare("/orgs/{org}/hooks")


def ping(call: Call, hook: Hook) -> None:
    """Tell a hook that it exists."""
    body = {"zen": "Design for failure.", "hook_id": hook.id, "hook": show_hook(call, hook)}
    call.emit("ping", {"hooks": [hook.id], "body": body})


def subscription(row: Hook, db: Store) -> Subscription | None:
    """Return what the platform needs to deliver to a hook; None if it is not active."""
    if not row.active:
        return None
    created = micros_of(datetime.fromisoformat(row.created_at))
    return Subscription(str(row.id), row.url, row.secret or "", tuple(row.events), created=created)


def notifications(event: Emitted, subscriber: Subscription, db: Store) -> Iterator[Notification]:
    """Yield the message about an event for a hook, if it is meant for it."""
    if subscriber.id in [str(each) for each in event.payload["hooks"]]:
        number = f"{event.environment}-{event.seq}-{event.number}-{subscriber.id}"
        digest = sha256(number.encode()).hexdigest()
        guid = "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))
        hook = db.find(Hook, Hook.id == int(subscriber.id)) if subscriber.id.isdecimal() else None
        form = {FORM: True} if hook and hook.content_type == "form" else {}
        yield Notification(guid, event.name, event.payload["body"] | form)


def request(message: Notification, subscriber: Subscription, attempt: DeliveryAttempt) -> WebhookRequest:
    """Build a delivery: JSON, or a form with the field `payload`, signed if the hook has a secret."""
    body = {name: value for name, value in message.body.items() if name != FORM}
    data = msgspec.json.encode(body)
    kind = "application/json"
    if message.body.get(FORM):
        data, kind = urlencode({"payload": data.decode()}).encode(), "application/x-www-form-urlencoded"
    headers = [
        ("Content-Type", kind),
        ("User-Agent", "GitHub-Hookshot/twindiff"),
        ("X-GitHub-Event", message.type),
        ("X-GitHub-Delivery", message.id),
        ("X-GitHub-Hook-ID", subscriber.id),
    ]
    if subscriber.secret:
        key = subscriber.secret.encode()
        headers += [
            ("X-Hub-Signature", f"sha1={hmac.new(key, data, sha1).hexdigest()}"),
            ("X-Hub-Signature-256", f"sha256={hmac.new(key, data, sha256).hexdigest()}"),
        ]
    return WebhookRequest(subscriber.url, tuple(headers), data)


webhooks = Webhooks(
    notifications,
    request,
    timeout_seconds=10,
    names=EVENTS,
    table=Hook,
    subscription=subscription,
    no_settings="github makes events only for hooks of a repository or an organization; create one with the twin's own "
    "POST /repos/{owner}/{repo}/hooks or POST /orgs/{org}/hooks, with the URL as config.url",
)
