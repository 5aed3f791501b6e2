"""Resources of connected accounts: external accounts, persons and capabilities.

https://docs.stripe.com/api/external_accounts, https://docs.stripe.com/api/persons,
https://docs.stripe.com/api/capabilities
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column, references
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.accounts import ACCOUNTS, Account, require_account
from ..account.external_accounts import EXTERNAL_ACCOUNTS, ExternalAccount
from ..core.events import record, record_row, update
from ..core.objects import LEFT_OUT, Fields, R, Resource, StripeObject, build_view, new, new_id, resource, retrieve
from ..core.pagination import list_object, list_of
from ..core.params import (
    Address,
    ListParams,
    NestedParams,
    OptBool,
    OptMetadata,
    OptName,
    OptText,
    Params,
    collect_params,
    merge_metadata,
)
from ..tables.token_tables import TOKEN

api = Operations(prefix="/v1/accounts/{account}")

_NOTHING_DUE = ("alternatives", "currently_due", "errors", "eventually_due", "past_due", "pending_verification")


class BankData(NestedParams, kw_only=True):
    """A bank account by its number."""

    object: Literal["bank_account"]
    account_holder_name: OptText = UNSET
    account_holder_type: Literal["company", "individual"] | UnsetType = UNSET
    account_number: str
    account_type: Literal["checking", "futsu", "savings", "toza"] | UnsetType = UNSET
    country: str
    currency: OptName = UNSET
    routing_number: OptText = UNSET


class UpdateExternalAccount(Params):
    """The parameters of an update of a bank account."""

    account_holder_name: OptText = UNSET
    account_holder_type: Literal["", "company", "individual"] | UnsetType = UNSET
    account_type: Literal["checking", "futsu", "savings", "toza"] | UnsetType = UNSET
    default_for_currency: OptBool = UNSET
    metadata: OptMetadata = UNSET


class CreateExternalAccount(Params, kw_only=True):
    """The parameters of a bank account: a token, or its number."""

    external_account: str | BankData
    default_for_currency: OptBool = UNSET
    metadata: OptMetadata = UNSET


class ListExternalAccounts(ListParams):
    """The parameters of a list of bank accounts."""

    object: Literal["bank_account", "card"] | UnsetType = UNSET


@api.post("/external_accounts")
def create_external_account(call: Call, account: str, params: Annotated[CreateExternalAccount, Body]) -> Fields:
    """Create an external account; the first one of a currency receives its payouts."""
    row = require_account(call, account)
    fields = _bank_of(call, row, params.external_account)
    others = call.db.rows(
        ExternalAccount, ExternalAccount.account == row.id, ExternalAccount.currency == fields["currency"]
    )
    made = new(
        call,
        EXTERNAL_ACCOUNTS,
        **fields,
        account=row.id,
        default_for_currency=not others,
        fingerprint=new_id(call, "", 16),
        metadata=merge_metadata({}, params.metadata),
    )
    if params.default_for_currency is True:
        made = _prefer(call, made)
    record(call, "account.external_account.created", EXTERNAL_ACCOUNTS.show(made))
    return EXTERNAL_ACCOUNTS.show(made)


def _bank_of(call: Call, account: Account, wanted: str | BankData) -> Fields:
    names = ("account_holder_name", "account_holder_type", "account_type", "country", "currency", "routing_number")
    if isinstance(wanted, BankData):
        fields: Fields = {name: getattr(wanted, name) or None for name in names}
        return {
            **fields,
            "currency": fields["currency"] or account.default_currency,
            "last4": wanted.account_number[-4:],
        }
    token = retrieve(call, TOKEN, wanted, param="external_account", status=400)
    if token.bank_account is None or token.used:
        message = "An external account needs an unused token of a bank account; this twin's accounts have no cards."
        raise StripeError(message, param="external_account")
    call.db.change(token, used=True)
    return {name: token.bank_account[name] for name in (*names, "last4")}


def _prefer(call: Call, row: ExternalAccount) -> ExternalAccount:
    """Make a bank account the default of its currency."""
    same = (ExternalAccount.account == row.account, ExternalAccount.currency == row.currency)
    for other in call.db.rows(ExternalAccount, *same, ExternalAccount.default_for_currency):
        call.db.change(other, default_for_currency=False)
    return call.db.change(row, default_for_currency=True)


@api.get("/external_accounts/{id}")
def retrieve_external_account(call: Call, account: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an external account."""
    return EXTERNAL_ACCOUNTS.show(_of(call, EXTERNAL_ACCOUNTS, account, id))


@api.get("/external_accounts")
def list_external_accounts(call: Call, account: str, params: Annotated[ListExternalAccounts, Body]) -> Fields:
    """List an account's bank accounts; the twin has no debit cards."""
    mine = [ExternalAccount.account == require_account(call, account).id]
    if params.object == "card":
        mine.append(ExternalAccount.id.in_(()))
    return list_of(call, EXTERNAL_ACCOUNTS, params, f"/v1/accounts/{account}/external_accounts", *mine)


@api.post("/external_accounts/{id}")
def update_external_account(
    call: Call, account: str, id: str, params: Annotated[UpdateExternalAccount, Body]
) -> Fields:
    """Update an external account; `default_for_currency` redirects payouts to it."""
    row = _of(call, EXTERNAL_ACCOUNTS, account, id)
    metadata = merge_metadata(row.metadata, params.metadata)
    changed = update(
        call,
        EXTERNAL_ACCOUNTS,
        row,
        "account.external_account.updated",
        **collect_params(params, "default_for_currency"),
        metadata=metadata,
    )
    return EXTERNAL_ACCOUNTS.show(_prefer(call, changed) if params.default_for_currency is True else changed)


@api.delete("/external_accounts/{id}")
def delete_external_account(call: Call, account: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Delete an external account, unless it is the default of the account's currency."""
    row = _of(call, EXTERNAL_ACCOUNTS, account, id)
    if row.default_for_currency and row.currency == require_account(call, account).default_currency:
        raise StripeError(
            "You cannot delete the default external account for your default currency. Please make another external "
            "account the default using the `default_for_currency` param, and then delete this one."
        )
    record(call, "account.external_account.deleted", EXTERNAL_ACCOUNTS.show(row))
    call.db.remove(row)
    return {"id": id, "object": "bank_account", "currency": row.currency, "deleted": True}


class AccountPerson(StripeObject, table="persons", key=("id",), unique=(("seq",),), indexes=(("account", "seq"),)):
    account: Column[str] = references(Account, on_delete="cascade")
    address: Column[Json] = column(default=None)
    dob: Column[Json] = column(default=None)
    email: Column[str | None] = column(default=None)
    first_name: Column[str | None] = column(default=None)
    gender: Column[str | None] = column(default=None)
    id_number_provided: Column[bool] = column(default=False)
    last_name: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    nationality: Column[str | None] = column(default=None)
    phone: Column[str | None] = column(default=None)
    political_exposure: Column[str | None] = column(default=None)
    relationship: Column[Json] = column(default={})
    ssn_last_4_provided: Column[bool] = column(default=False)


class Birth(NestedParams):
    """A date of birth."""

    day: int
    month: int
    year: int


class Relationship(NestedParams):
    """A person's relationship to the account."""

    authorizer: OptBool = UNSET
    director: OptBool = UNSET
    executive: OptBool = UNSET
    legal_guardian: OptBool = UNSET
    owner: OptBool = UNSET
    percent_ownership: float | Literal[""] | UnsetType = UNSET
    representative: OptBool = UNSET
    title: OptText = UNSET


def _birth(row: AccountPerson) -> Fields:
    return row.dob or dict.fromkeys(Birth.__struct_fields__)


def _relationship(row: AccountPerson) -> Fields:
    unset: Fields = {**dict.fromkeys(Relationship.__struct_fields__, False), "percent_ownership": None, "title": None}
    return {**unset, "authorizer": None, **row.relationship}


def _nothing_due(row: Any) -> Fields:
    return {name: [] for name in _NOTHING_DUE}


def _verification(row: AccountPerson) -> Fields:
    document = dict.fromkeys(("back", "details", "details_code", "front"))
    unset: Fields = {"additional_document": document, "details": None, "details_code": None, "document": document}
    return {**unset, "status": "verified" if row.id_number_provided else "unverified"}


PERSONS = resource(
    AccountPerson,
    "person",
    "person_",
    build_view(
        AccountPerson,
        "person",
        livemode=LEFT_OUT,
        dob=_birth,
        future_requirements=_nothing_due,
        relationship=_relationship,
        requirements=_nothing_due,
        verification=_verification,
    ),
    param="person",
)


class PersonParams(Params):
    """The parameters of a person."""

    longest: ClassVar = {"address.city": 100, "address.line1": 200, "address.line2": 200}

    address: Address | UnsetType = UNSET
    dob: Birth | Literal[""] | UnsetType = UNSET
    email: OptText = UNSET
    first_name: OptText = UNSET
    gender: Literal["", "female", "male"] | UnsetType = UNSET
    id_number: OptText = UNSET
    last_name: OptText = UNSET
    metadata: OptMetadata = UNSET
    nationality: OptText = UNSET
    phone: OptText = UNSET
    political_exposure: Literal["existing", "none"] | UnsetType = UNSET
    relationship: Relationship | UnsetType = UNSET
    ssn_last_4: OptText = UNSET


class RelationshipFilter(NestedParams):
    """Filter by relationship."""

    director: OptBool = UNSET
    executive: OptBool = UNSET
    owner: OptBool = UNSET
    representative: OptBool = UNSET


class ListPersons(ListParams):
    """The parameters of a list of persons."""

    relationship: RelationshipFilter | UnsetType = UNSET


@api.post("/persons")
def create_person(call: Call, account: str, params: Annotated[PersonParams, Body]) -> Fields:
    """Create a person of an account."""
    fields = {"account": require_account(call, account).id, "metadata": merge_metadata({}, params.metadata)}
    made = new(call, PERSONS, **fields, **_of_person(params))
    record_row(call, "person.created", PERSONS, made)
    return PERSONS.show(made)


def _of_person(params: PersonParams) -> Fields:
    """Return the columns of a person; of id numbers, only the fact that they were given is stored."""
    fields = collect_params(params, "id_number", "ssn_last_4")
    if params.id_number:
        fields |= {"id_number_provided": True, "ssn_last_4_provided": True}
    return {**fields, "ssn_last_4_provided": True} if params.ssn_last_4 else fields


@api.get("/persons/{person}")
def retrieve_person(call: Call, account: str, person: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a person."""
    return PERSONS.show(_of(call, PERSONS, account, person))


@api.get("/persons")
def list_persons(call: Call, account: str, params: Annotated[ListPersons, Body]) -> Fields:
    """List the persons of an account."""
    where = [AccountPerson.account == require_account(call, account).id]
    if isinstance(params.relationship, RelationshipFilter):
        for name, wanted in collect_params(params.relationship).items():
            people = call.db.rows(AccountPerson, *where)
            where.append(AccountPerson.id.in_([each.id for each in people if _relationship(each)[name] is wanted]))
    return list_of(call, PERSONS, params, f"/v1/accounts/{account}/persons", *where)


@api.post("/persons/{person}")
def update_person(call: Call, account: str, person: str, params: Annotated[PersonParams, Body]) -> Fields:
    """Update the given fields of a person."""
    row, fields = _of(call, PERSONS, account, person), _of_person(params)
    if "relationship" in fields:
        fields["relationship"] = {**row.relationship, **fields["relationship"]}
    metadata = merge_metadata(row.metadata, params.metadata)
    return PERSONS.show(update(call, PERSONS, row, **fields, metadata=metadata))


@api.delete("/persons/{person}")
def delete_person(call: Call, account: str, person: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a person of an account."""
    row = _of(call, PERSONS, account, person)
    record_row(call, "person.deleted", PERSONS, row)
    call.db.remove(row)
    return {"id": person, "object": "person", "deleted": True}


class UpdateCapability(Params):
    """Whether a capability is requested."""

    requested: OptBool = UNSET


@api.get("/capabilities")
def list_capabilities(call: Call, account: str, params: Annotated[Params, Body]) -> Fields:
    """List the capabilities of an account."""
    row = require_account(call, account)
    data = [_capability(row, name) for name in sorted(row.capabilities)]
    return list_object(data, f"/v1/accounts/{account}/capabilities")


@api.get("/capabilities/{capability}")
def retrieve_capability(call: Call, account: str, capability: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a capability of an account."""
    row = require_account(call, account)
    if capability not in row.capabilities:
        message = f"No such capability: '{capability[:500]}'"
        raise StripeError(message, status=404, code="resource_missing", param="capability")
    return _capability(row, capability)


@api.post("/capabilities/{capability}")
def update_capability(call: Call, account: str, capability: str, params: Annotated[UpdateCapability, Body]) -> Fields:
    """Request a capability, which is active at once, or withdraw the request."""
    row = require_account(call, account)
    if params.requested is not UNSET:
        status = "active" if params.requested else "unrequested"
        row = update(call, ACCOUNTS, row, capabilities={**row.capabilities, capability: status})
    return _capability(row, capability)


def _capability(row: Account, name: str) -> Fields:
    status: str = row.capabilities.get(name, "unrequested")
    due: Fields = {**_nothing_due(row), "current_deadline": None, "disabled_reason": None}
    return {
        "id": name,
        "object": "capability",
        "account": row.id,
        "future_requirements": due,
        "requested": status != "unrequested",
        "requested_at": row.created if status != "unrequested" else None,
        "requirements": due,
        "status": status,
    }


def _of(call: Call, kind: Resource[R], account: str, id: str) -> R:
    """Return an object of an account by id; raises StripeError if it belongs to another account."""
    row, owner = retrieve(call, kind, id), require_account(call, account)
    if getattr(row, "account") != owner.id:  # noqa: B009 - both kinds have one
        raise kind.missing(id)
    return row
