"""The overlay of a drafted twin: what a person knows of the vendor that its description does not say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from twindiff.kit.suggestions import did_you_mean

from .documents import DescriptionError
from .signatures import Scheme

MAX_OVERLAY_BYTES = 1_000_000
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*?)`(?: - at `\$(.*)`)?", re.DOTALL)


class OverlayPart(msgspec.Struct, forbid_unknown_fields=True, rename={"from_": "from"}):
    """A part of an overlay; unknown keys are refused."""


class IdForm(OverlayPart):
    """The form of new ids.

    `letters`: `prefix` and `length` letters of `alphabet`. `uuid`: a UUID. `number`: numbers from `first` on.
    `snowflake`: numbers with the time in their upper bits. A prefix stands before each of them.
    """

    prefix: str = ""
    length: int = 16
    alphabet: str = "0123456789abcdefghijklmnopqrstuvwxyz"
    kind: Literal["letters", "uuid", "number", "snowflake"] = "letters"
    first: int = 1


class Refusal(OverlayPart):
    """The refusal of a state change: its status, and its code and message if they are not the usual ones."""

    status: int = 409
    code: Any = ""
    message: str = ""


class Transition(OverlayPart):
    """What an action changes: `field` becomes `to`, from one of the values of `from` if it is given.

    `set` are further fields. `add` and `remove` put items into fields with lists, once each, and take them out.
    `refusal` is the answer in another state.
    """

    field: str = ""
    to: Any = None
    from_: list[Any] = []
    set: dict[str, Any] = {}
    add: dict[str, Any] = {}
    remove: dict[str, Any] = {}
    refusal: Refusal | None = None


class StateMachine(OverlayPart):
    """The states of `field`: the `initial` one, and those that may follow each; a write of any other is refused.

    `by` is a field of requests that names an event, and `events` has the state to which each leads.
    """

    field: str
    initial: Any = None
    moves: dict[str, list[Any]] = {}
    by: str = ""
    events: dict[str, Any] = {}
    refusal: Refusal = msgspec.field(default_factory=Refusal)


class ResourceOverlay(OverlayPart):
    """What is known of one resource, named as its table."""

    id: IdForm | None = None
    defaults: dict[str, Any] = {}
    """Values of fields that a new object has unless the request gives others."""
    computed: dict[str, Any] = {}
    """Fields that are computed when an object is shown; see `computed_fields`."""
    states: StateMachine | None = None
    unique: list[str] = []
    """Fields of which no two objects have the same value."""
    soft_delete: str = ""
    """The flag that deleting sets instead of removing the row."""
    schema: str = ""
    """The schema of a resource that no path shows; it gets this table."""
    key: str = ""
    """The field that identifies one object."""
    aliases: list[str] = []
    """Further fields by which paths name one."""


class ListOverlay(OverlayPart):
    """How lists are paged and what their envelope says."""

    style: Literal["", "cursor", "offset", "page", "link", "last_id"] = ""
    items: str = ""
    """The property with the list."""
    limit: str = ""
    at: str = ""
    """The parameter that says where the page begins."""
    default_limit: int = 0
    max_limit: int = 0
    first_page: int = 1
    newest_first: bool = False
    next: str = ""
    """The path in the answer, such as `paging.next.after`, of where the next page begins."""
    relative: bool = False
    """Whether addresses of pages have no host."""
    total: str = ""
    has_more: str = ""


class OperationOverlay(OverlayPart):
    """What an operation does that convention does not say."""

    does: Literal["", "list", "create", "create_many", "read", "update", "replace", "delete"] = ""
    table: str = ""
    by: dict[str, Any] = {}
    """The fields that name the object: `{path: $path}` takes the parameter or the field `path` of the request."""
    where: dict[str, Any] = {}
    """The fields that listed objects have."""
    set: dict[str, Any] = {}
    """Fields that a created or changed object gets."""
    lists: ListOverlay | None = None
    object: str = ""
    """The property of the answer with the object; that of the body has the same name."""
    status: int = 0
    """The status of the answer."""
    answer: dict[str, Any] = {}
    """What the answer has beside its list or its object, with placeholders."""


class ErrorOverlay(OverlayPart):
    """The vendor's refusals: a `body` with `$code`, `$message`, `$status`, `$field`, and what stands for them.

    A key may be a placeholder as well, as in `{errors: {$field: $message}}`; it is left out if it stands for nothing.
    """

    body: Any = None
    bodies: dict[str, Any] = {}
    """Bodies of another shape, by status or by our code."""
    codes: dict[str, Any] = {}
    """The code by status, or by our code such as `not_found`."""
    kinds: dict[str, Any] = {}
    """The code of what is not found, by its resource or table."""
    statuses: dict[str, int] = {}
    """The status by ours, such as 400 for invalid input, or by our code."""
    described: bool = False
    """Whether a refusal for which the description of its operation has another shape gets that one."""
    messages: dict[str, str] = {}
    """The message by status or by our code; `${message}` in it is ours."""


class SignatureOverlay(OverlayPart):
    """How requests of webhooks are signed."""

    header: str
    scheme: Scheme = "hmac-sha256"
    encoding: Literal["hex", "base64"] = "hex"
    value: str = "${signature}"
    """The header; `${signature}` and `${timestamp}` in it are replaced."""
    signs: str = "${body}"
    """What is signed, of `${body}`, `${timestamp}`, `${id}`, `${url}` and `${fields}`: names and values in order."""
    timestamp_header: str = ""


class SubscriptionOverlay(OverlayPart):
    """The resource by which clients subscribe: its table, and its fields with the URL, the events and the secret."""

    table: str
    url: str = "url"
    events: str = "events"
    secret: str = "secret"  # noqa: S105 - the name of a field
    active: str = ""
    """The flag that says whether it is told."""
    own: bool = False
    """Whether it is told of its own changes only."""
    handshake: str = ""
    """The header of a first request that tells a new one its secret."""


class WebhookOverlay(OverlayPart):
    """Webhooks on changes."""

    events: dict[str, dict[str, str]] = {}
    """The event's name by table, and by `create`, `update`, `delete` or the operation; `${status}` in it is a field.

    Without any, each table has `order.created`, `order.updated` and `order.deleted`.
    """
    body: Any = None
    """The body, with `$event`, `$object`, `$previous`, `$key`, `$id`, `$time`, `$iso_time`, `$table` and `$actor`."""
    headers: dict[str, str] = {}
    form: bool = False
    """Whether the body is a form."""
    signature: SignatureOverlay | None = None
    subscriptions: SubscriptionOverlay | None = None
    retries: list[float] = msgspec.field(default_factory=lambda: [1, 5, 30])


class VariableOverlay(OverlayPart):
    """Environment variables of the vendor's clients: tokens and secrets with `{secret}`, URLs by their suffix."""

    tokens: dict[str, str] = {}
    urls: dict[str, str] = {}
    secrets: dict[str, str] = {}
    signing: str = ""
    public_key: str = ""
    """The variable with the key that verifies signatures by a key pair."""


class SeedPart(OverlayPart):
    """How a part of a seed configuration is stored: fields of a table, and the parts that stand inside it."""

    table: str
    fields: dict[str, Any] = {}
    """The field's value by name, with `$name` of the part and `$parent.name` of the object above it; by default all."""
    parts: dict[str, SeedPart] = {}
    find: dict[str, dict[str, str]] = {}
    """References by other fields: `{contact_id: {contacts.email: $contact_email}}` is the key of that contact."""


class Overlay(OverlayPart):
    """The content of an overlay file."""

    name: str = ""
    hosts: list[str] | dict[str, str] = []
    """Further hosts of the vendor; each may have the prefix of its operations' paths."""
    variables: VariableOverlay | None = None
    errors: ErrorOverlay | None = None
    lists: ListOverlay | None = None
    object: str = ""
    """The property of answers with an object."""
    number_texts: bool = False
    """Whether bodies may give numbers as texts."""
    put: Literal["", "merges", "replaces"] = ""
    """Whether PUT keeps the fields that its body lacks; by default what its description says, see `plan`."""
    id: IdForm | None = None
    """The form of ids of the resources that have none of their own."""
    tables: dict[str, str] = {}
    """Other names of tables; the rest of the overlay uses these."""
    resources: dict[str, ResourceOverlay] = {}
    operations: dict[str, OperationOverlay] = {}
    """What operations do, by name: `POST /orders/{id}/pay`."""
    actions: dict[str, Transition] = {}
    """What operations change, by name."""
    webhooks: WebhookOverlay | None = None
    seeds: dict[str, list[dict[str, Any]]] = {}
    """Rows of the base template by table; a table that is not named here has the rows that are made for it."""
    templates: dict[str, dict[str, list[dict[str, Any]]]] = {}
    """Further templates by the end of their name, each with rows by table."""
    seed_parts: dict[str, SeedPart] = {}
    """Parts of a seed configuration besides the tables."""

    def list_of(self, operation: str) -> ListOverlay | None:
        """Return how the lists of an operation, given by its name, are paged, if the overlay says so."""
        declared = self.operations.get(operation)
        return declared.lists if declared and declared.lists else self.lists

    def holders(self, operation: str) -> tuple[str, ...]:
        """Return the properties that hold the object or the list in the answer of an operation."""
        declared, lists = self.operations.get(operation), self.list_of(operation)
        names = ((declared.object if declared else "") or self.object, lists.items if lists else "")
        return tuple(name for name in names if name)


def find_overlay(description: Path) -> Path:
    """Return where the overlay of a description may be: `<file>.twin.yaml` beside it."""
    return description.with_name(description.name.partition(".")[0] + ".twin.yaml")


def read_overlay(path: Path) -> Overlay:
    """Read an overlay file. Raises DescriptionError with what is wrong with it."""
    try:
        if path.stat().st_size > MAX_OVERLAY_BYTES:
            raise DescriptionError(f"The overlay {path.name} is larger than {MAX_OVERLAY_BYTES:,} bytes.")
        return msgspec.yaml.decode(path.read_bytes(), type=Overlay)
    except OSError as error:
        raise DescriptionError(f"The overlay {path.name} cannot be read: {error.strerror}.") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise DescriptionError(f"The overlay {path.name} is not valid: {_explain(str(error))}") from None


def _explain(said: str) -> str:
    """Return an error of msgspec as a sentence, with the nearest name for an unknown key."""
    unknown = _UNKNOWN_FIELD.fullmatch(said)
    if unknown is None:
        return f"{said}."
    name, place = unknown[1], (unknown[2] or "").strip(".")
    known = _keys_at(re.findall(r"\w+|\[\.\.\.\]", unknown[2] or ""))
    above = f" of {place.replace('[...]', '.*')}" if place else ""
    near = did_you_mean(name, known) or f" There are {', '.join(known)}."
    return f"there is no key '{name}'{above}.{near}"


def _keys_at(steps: list[str]) -> list[str]:
    """Return the keys of the part of an overlay at a path, in which `[...]` is any key or number."""
    kind: Any = msgspec.inspect.type_info(Overlay)
    for step in steps:
        kind = _without_null(kind)
        if isinstance(kind, msgspec.inspect.StructType):
            kind = next((each.type for each in kind.fields if each.encode_name == step), kind)
        else:
            kind = getattr(kind, "value_type", None) or getattr(kind, "item_type", kind)
    kind = _without_null(kind)
    return [each.encode_name for each in kind.fields] if isinstance(kind, msgspec.inspect.StructType) else []


def _without_null(kind: Any) -> Any:
    if isinstance(kind, msgspec.inspect.UnionType):
        structs = [each for each in kind.types if isinstance(each, msgspec.inspect.StructType)]
        return structs[0] if structs else cast(Any, kind.types[0])
    return kind
