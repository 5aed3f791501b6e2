"""Secrets, variables, environments and deploy keys.

https://docs.github.com/en/rest/actions/secrets
https://docs.github.com/en/rest/deployments/environments
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations, Struct, ValueResponse
from twindiff.kit.rows import Expression

from ..core.access import find_org, find_repo
from ..core.listing import paginate
from ..core.node_ids import node_id
from ..core.stamps import new_id, show_instant, times_of
from ..tables.repository_tables import DeployKey, Environment, Repository, Secret
from ..views.repository_views import html_url, repo_url
from ..wire_style import Conflict, NotVisible, Unprocessable, invalid

api = Operations()
KINDS = ("actions", "dependabot", "codespaces")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ENVIRONMENT = "/repos/{owner}/{repo}/environments/{environment_name}"


def _scope(call: Call) -> str:
    """Return the scope of the secrets that a request is about."""
    names: dict[str, str] = call.memo["parameters"]
    if "org" in names:
        return f"orgs/{find_org(call, names['org']).login}"
    repo = find_repo(call, names["owner"], names["repo"])
    if "environment_name" in names:
        return f"environments/{find_environment(call, repo, names['environment_name']).id}"
    return f"repos/{repo.id}"


def find_environment(call: Call, repo: Repository, name: str) -> Environment:
    """Return an environment of a repository by its name; raise NotVisible."""
    row = call.db.find(Environment, Environment.repository_id == repo.id, Environment.name == name)
    if row is None:
        raise NotVisible
    return row


def show_secret(call: Call, secret: Secret) -> dict[str, Any]:
    """Render a secret without its value, or a variable with it."""
    shown: dict[str, Any] = {"name": secret.name, **times_of(secret)}
    if secret.kind == "variables":
        shown["value"] = secret.value
    if secret.scope.startswith("orgs/"):
        url = f"{call.base_url}/orgs/{secret.scope[5:]}/{secret.kind}/secrets/{secret.name}/repositories"
        shown |= {"visibility": secret.visibility or "all", "selected_repositories_url": url}
    return shown


def check_secret_name(name: str) -> str:
    """Return the name of a secret in capitals; raise GitHub's 422 for one that cannot be."""
    if not _NAME.fullmatch(name) or name.upper().startswith("GITHUB_"):
        raise Unprocessable(
            "Secret names can only contain alphanumeric characters ([a-z], [A-Z], [0-9]) or underscores (_). "
            "Spaces are not allowed. Must start with a letter ([a-z], [A-Z]) or underscores (_), not with GITHUB_."
        )
    return name.upper()


class SecretBody(Struct):
    """The value of a secret, encrypted with the public key."""

    encrypted_value: str = ""
    key_id: str = ""
    visibility: str | None = None


def _conditions(scope: str, kind: str) -> tuple[Expression, ...]:
    return (Secret.scope == scope, Secret.kind == kind)


def _find(call: Call, scope: str, kind: str, name: str) -> Secret:
    secret = call.db.find(Secret, *_conditions(scope, kind), Secret.name == name.upper())
    if secret is None:
        raise NotVisible
    return secret


def _put(call: Call, scope: str, kind: str, name: str, value: str, visibility: str | None) -> bool:
    """Store a secret or a variable and return whether it is new."""
    known, now = call.db.find(Secret, *_conditions(scope, kind), Secret.name == name), call.clock.iso()
    if known:
        call.db.change(known, value=value, visibility=visibility or known.visibility, updated_at=now)
        return False
    times = {"created_at": now, "updated_at": now}
    call.db.add(Secret(scope=scope, kind=kind, name=name, value=value, visibility=visibility, **times))
    return True


def _declare_secrets(path: str, kind: str) -> None:
    """Declare the operations on the secrets of one kind, of repositories, organizations or environments."""

    def get_public_key(call: Call) -> Any:
        """Get the key that secrets are encrypted with."""
        scope = _scope(call)
        digest = sha256(f"{call.secret}{scope}".encode())
        number = int(digest.hexdigest()[:15], 16)
        return {"key_id": str(568250167242549743 + number % 10**15), "key": b64encode(digest.digest()).decode()}

    def list_secrets(call: Call) -> Any:
        """List the secrets without their values."""
        where = _conditions(_scope(call), kind)
        return paginate(call, Secret, *where, by=Secret.name, show=lambda each: show_secret(call, each), key="secrets")

    def get_secret(call: Call, secret_name: str) -> Any:
        """Get a secret without its value."""
        return show_secret(call, _find(call, _scope(call), kind, secret_name))

    def put_secret(call: Call, secret_name: str, body: Annotated[SecretBody, Body]) -> Any:
        """Store a secret: 201 for a new one, else 204."""
        name, scope = check_secret_name(secret_name), _scope(call)
        is_new = _put(call, scope, kind, name, body.encrypted_value, body.visibility)
        return ValueResponse({}, 201) if is_new else ValueResponse(None, 204)

    def delete_secret(call: Call, secret_name: str) -> None:
        """Delete a secret."""
        call.db.remove(_find(call, _scope(call), kind, secret_name))

    api.get(f"{path}/public-key")(get_public_key)
    api.get(path)(list_secrets)
    api.get(f"{path}/{{secret_name}}")(get_secret)
    api.put(f"{path}/{{secret_name}}")(put_secret)
    api.delete(f"{path}/{{secret_name}}", status=204)(delete_secret)


def _declare_variables(path: str) -> None:
    """Declare the operations on variables of repositories, organizations or environments."""

    def list_variables(call: Call) -> Any:
        """List the variables."""
        where = _conditions(_scope(call), "variables")
        return paginate(
            call, Secret, *where, by=Secret.name, show=lambda each: show_secret(call, each), key="variables"
        )

    def create_variable(call: Call, name: str, value: str, visibility: str | None = None) -> Any:
        """Make a variable."""
        scope, known = _scope(call), check_secret_name(name)
        if call.db.find(Secret, *_conditions(scope, "variables"), Secret.name == known):
            raise Conflict("Already exists - Variable already exists")
        _put(call, scope, "variables", known, value, visibility)
        return {}

    def get_variable(call: Call, variable_name: str) -> Any:
        """Get a variable."""
        return show_secret(call, _find(call, _scope(call), "variables", variable_name))

    def update_variable(call: Call, variable_name: str, value: str = "") -> None:
        """Change a variable."""
        known = _find(call, _scope(call), "variables", variable_name)
        call.db.change(known, value=value, updated_at=call.clock.iso())

    def delete_variable(call: Call, variable_name: str) -> None:
        """Delete a variable."""
        call.db.remove(_find(call, _scope(call), "variables", variable_name))

    api.get(path)(list_variables)
    api.post(path, status=201)(create_variable)
    api.get(f"{path}/{{variable_name}}")(get_variable)
    api.patch(f"{path}/{{variable_name}}", status=204)(update_variable)
    api.delete(f"{path}/{{variable_name}}", status=204)(delete_variable)


for _base in ("/repos/{owner}/{repo}", "/orgs/{org}"):
    for _kind in KINDS:
        _declare_secrets(f"{_base}/{_kind}/secrets", _kind)
    _declare_variables(f"{_base}/actions/variables")
_declare_secrets(f"{_ENVIRONMENT}/secrets", "actions")
_declare_variables(f"{_ENVIRONMENT}/variables")


class EnvironmentBody(Struct):
    """The rules of an environment."""

    wait_timer: int | None = None
    prevent_self_review: bool | None = None
    reviewers: list[dict[str, Any]] | None = None
    deployment_branch_policy: dict[str, Any] | None = None


def show_environment(call: Call, repo: Repository, row: Environment) -> dict[str, Any]:
    """Render an environment with its rules."""
    rules: list[dict[str, Any]] = []
    if row.settings.get("wait_timer"):
        rules.append(
            {
                "id": row.id,
                "node_id": node_id("GA", row.id),
                "type": "wait_timer",
                "wait_timer": row.settings["wait_timer"],
            }
        )
    if row.settings.get("deployment_branch_policy"):
        rules.append({"id": row.id, "node_id": node_id("GA", row.id), "type": "branch_policy"})
    return {
        "id": row.id,
        "node_id": node_id("EN", repo.id, row.id),
        "name": row.name,
        "url": f"{repo_url(call, repo)}/environments/{row.name}",
        "html_url": f"{html_url(call, repo)}/deployments/activity_log?environments_filter={row.name}",
        **times_of(row),
        "protection_rules": rules,
        "deployment_branch_policy": row.settings.get("deployment_branch_policy"),
    }


@api.get("/repos/{owner}/{repo}/environments")
def list_environments(call: Call, owner: str, repo: str) -> Any:
    """List the environments of a repository."""
    row = find_repo(call, owner, repo)
    return paginate(
        call,
        Environment,
        Environment.repository_id == row.id,
        by=Environment.id,
        show=lambda each: show_environment(call, row, each),
        key="environments",
    )


@api.get("/repos/{owner}/{repo}/environments/{environment_name}")
def get_environment(call: Call, owner: str, repo: str, environment_name: str) -> Any:
    """Get an environment."""
    row = find_repo(call, owner, repo)
    return show_environment(call, row, find_environment(call, row, environment_name))


@api.put("/repos/{owner}/{repo}/environments/{environment_name}")
def put_environment(
    call: Call, owner: str, repo: str, environment_name: str, body: Annotated[EnvironmentBody, Body]
) -> Any:
    """Make or change an environment."""
    row, now = find_repo(call, owner, repo), call.clock.iso()
    policy = body.deployment_branch_policy
    if policy and bool(policy.get("protected_branches")) == bool(policy.get("custom_branch_policies")):
        raise Unprocessable("protected_branches and custom_branch_policies cannot have the same value")
    settings: dict[str, Any] = {name: getattr(body, name) for name in body.__struct_fields__}
    known = call.db.find(Environment, Environment.repository_id == row.id, Environment.name == environment_name)
    if known:
        return show_environment(call, row, call.db.change(known, settings=settings, updated_at=now))
    fields: dict[str, Any] = {"name": environment_name, "settings": settings, "created_at": now, "updated_at": now}
    return show_environment(call, row, call.db.add(Environment(id=new_id(call), repository_id=row.id, **fields)))


@api.delete("/repos/{owner}/{repo}/environments/{environment_name}", status=204)
def delete_environment(call: Call, owner: str, repo: str, environment_name: str) -> None:
    """Delete an environment."""
    call.db.remove(find_environment(call, find_repo(call, owner, repo), environment_name))


def show_deploy_key(call: Call, repo: Repository, key: DeployKey) -> dict[str, Any]:
    """Render a deploy key."""
    named = {"id": key.id, "key": key.key, "url": f"{repo_url(call, repo)}/keys/{key.id}", "title": key.title}
    more = {"verified": True, "created_at": show_instant(key.created_at), "read_only": key.read_only}
    return {**named, **more, "added_by": None, "last_used": None, "enabled": True}


@api.get("/repos/{owner}/{repo}/keys")
def list_deploy_keys(call: Call, owner: str, repo: str) -> Any:
    """List the deploy keys of a repository."""
    row = find_repo(call, owner, repo)
    return paginate(
        call,
        DeployKey,
        DeployKey.repository_id == row.id,
        by=DeployKey.id,
        show=lambda each: show_deploy_key(call, row, each),
    )


@api.post("/repos/{owner}/{repo}/keys", status=201)
def create_deploy_key(call: Call, owner: str, repo: str, key: str, title: str = "", read_only: bool = False) -> Any:
    """Add a deploy key."""
    row = find_repo(call, owner, repo)
    if call.db.find(DeployKey, DeployKey.key == key):
        raise invalid("PublicKey", "key", "custom", "key is already in use")
    fields: dict[str, Any] = {
        "key": key,
        "title": title or "key",
        "read_only": read_only,
        "created_at": call.clock.iso(),
    }
    return show_deploy_key(call, row, call.db.add(DeployKey(id=new_id(call), repository_id=row.id, **fields)))


def _find_deploy_key(call: Call, repo: Repository, key_id: int) -> DeployKey:
    key = call.db.find(DeployKey, DeployKey.id == key_id, DeployKey.repository_id == repo.id)
    if key is None:
        raise NotVisible
    return key


@api.get("/repos/{owner}/{repo}/keys/{key_id}")
def get_deploy_key(call: Call, owner: str, repo: str, key_id: int) -> Any:
    """Get a deploy key."""
    row = find_repo(call, owner, repo)
    return show_deploy_key(call, row, _find_deploy_key(call, row, key_id))


@api.delete("/repos/{owner}/{repo}/keys/{key_id}", status=204)
def delete_deploy_key(call: Call, owner: str, repo: str, key_id: int) -> None:
    """Delete a deploy key."""
    call.db.remove(_find_deploy_key(call, find_repo(call, owner, repo), key_id))
