"""Secrets of apps, for the account or one of its users.

https://docs.stripe.com/api/apps/secret_store
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Operations, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import LOADS, Fields, StripeObject, build_view, new, now, resource
from ..core.pagination import list_of
from ..core.params import ListParams, NestedParams, OptInteger, OptText, Params

api = Operations(prefix="/v1/apps/secrets")


class AppSecret(
    StripeObject, table="app_secrets", key=("id",), unique=(("seq",), ("scope_type", "scope_user", "name"))
):
    expires_at: Column[int | None] = column(default=None)
    name: Column[str]
    payload: Column[str]
    scope_type: Column[str]
    scope_user: Column[str] = column(default="")


def _scope(row: AppSecret) -> Fields:
    return {"type": row.scope_type, **({"user": row.scope_user} if row.scope_user else {})}


secret_object = build_view(AppSecret, "apps.secret", "payload", "scope_type", "scope_user", scope=_scope)


def _payload(call: Call, fields: Fields) -> str:
    return call.db.get(AppSecret, fields["id"]).payload


SECRETS = resource(
    AppSecret, "apps.secret", "appsecret_", secret_object, spoken="secret", includes={"payload": _payload}
)


def _as_text(call: Call, ids: Sequence[str]) -> dict[str, Fields]:
    """Expand no payload further: it is a text, though it may look like the id of an object."""
    return {}


LOADS["apps.secret.payload"] = _as_text


class SecretScope(NestedParams):
    """Whose secret it is: the account's, or that of a user."""

    type: Literal["account", "user"]
    user: OptText = UNSET


class SetSecret(Params, kw_only=True):
    """The parameters of a new secret, or of a new payload."""

    name: str
    payload: str
    scope: SecretScope
    expires_at: OptInteger = UNSET


class FindSecret(Params, kw_only=True):
    """The name and scope of a secret."""

    name: str
    scope: SecretScope


class ListSecrets(ListParams, kw_only=True):
    """The parameters of a list of secrets."""

    scope: SecretScope


@api.post("")
def set_secret(call: Call, params: Annotated[SetSecret, Body]) -> Fields:
    """Create a secret, or replace its payload."""
    if isinstance(params.expires_at, int) and params.expires_at <= now(call):
        raise StripeError("Invalid timestamp: `expires_at` must be in the future.", param="expires_at")
    fields: Fields = {"payload": params.payload, "expires_at": params.expires_at or None}
    known = _find(call, params.name, params.scope)
    if known:
        return secret_object(call.db.change(known, **fields))
    where = {"scope_type": params.scope.type, "scope_user": params.scope.user or ""}
    return secret_object(new(call, SECRETS, name=params.name, **where, **fields))


@api.post("/delete")
def delete_secret(call: Call, params: Annotated[FindSecret, Body]) -> Fields:
    """Delete a secret."""
    row = _require(call, params)
    call.db.remove(row)
    return {**secret_object(row), "deleted": True}


@api.get("/find")
def find_secret(call: Call, params: Annotated[FindSecret, Body]) -> Fields:
    """Find a secret by name; its payload is shown when it is expanded."""
    return secret_object(_require(call, params))


@api.get("")
def list_secrets(call: Call, params: Annotated[ListSecrets, Body]) -> Fields:
    """List the secrets of a scope."""
    return list_of(call, SECRETS, params, "/v1/apps/secrets", *_where(params.scope))


def _where(scope: SecretScope) -> list[Any]:
    if scope.type == "user" and not scope.user:
        raise StripeError("Missing required param: scope[user].", code="parameter_missing", param="scope[user]")
    if scope.type == "account" and scope.user:
        raise StripeError("`scope[user]` is for secrets whose `scope[type]` is `user`.", param="scope[user]")
    return [AppSecret.scope_type == scope.type, AppSecret.scope_user == (scope.user or "")]


def _find(call: Call, name: str, scope: SecretScope) -> AppSecret | None:
    row = call.db.find(AppSecret, AppSecret.name == name, *_where(scope))
    return None if row and row.expires_at is not None and row.expires_at <= now(call) else row


def _require(call: Call, params: FindSecret) -> AppSecret:
    row = _find(call, params.name, params.scope)
    if row is None:
        raise SECRETS.missing(params.name, param="name")
    return row
