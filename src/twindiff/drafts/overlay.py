"""The overlay of a drafted twin: what a person knows of the vendor that its description does not say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from .documents import DescriptionError

if TYPE_CHECKING:
    from .plan import StateChange

MAX_OVERLAY_BYTES = 1_000_000


class IdForm(msgspec.Struct, forbid_unknown_fields=True):
    """The form of new ids: `prefix` and `length` letters of `alphabet`, a `uuid`, or numbers from `first` on."""

    prefix: str = ""
    length: int = 16
    alphabet: str = "0123456789abcdefghijklmnopqrstuvwxyz"
    kind: str = "letters"
    first: int = 1


class Transition(msgspec.Struct, forbid_unknown_fields=True, rename={"from_": "from"}):
    """What an action changes: `field` becomes `to`, from one of the values of `from` if it is given."""

    field: str
    to: Any
    from_: list[Any] = []


class ResourceOverlay(msgspec.Struct, forbid_unknown_fields=True):
    """What is known of one resource, named as its table."""

    id: IdForm | None = None
    defaults: dict[str, Any] = {}
    """Values of fields that a new object has unless the request gives others."""
    soft_delete: str = ""
    """The flag that deleting sets instead of removing the row."""


class Overlay(msgspec.Struct, forbid_unknown_fields=True):
    """The content of an overlay file."""

    name: str = ""
    hosts: list[str] = []
    resources: dict[str, ResourceOverlay] = {}
    actions: dict[str, Transition] = {}
    """What operations change, by name: `POST /orders/{id}/pay`."""
    seeds: dict[str, list[dict[str, Any]]] = {}
    """Rows of the base template by table; a table that is not named here has the rows that are made for it."""

    def change_of(self, operation: str) -> StateChange | None:
        """Return what an operation changes, if the overlay says so."""
        from .plan import StateChange

        transition = self.actions.get(operation)
        return StateChange(transition.field, transition.to, tuple(transition.from_)) if transition else None


def read_overlay(path: Path) -> Overlay:
    """Read an overlay file. Raises DescriptionError with what is wrong with it."""
    try:
        if path.stat().st_size > MAX_OVERLAY_BYTES:
            raise DescriptionError(f"The overlay {path.name} is larger than {MAX_OVERLAY_BYTES:,} bytes.")
        return msgspec.yaml.decode(path.read_bytes(), type=Overlay)
    except OSError as error:
        raise DescriptionError(f"The overlay {path.name} cannot be read: {error.strerror}.") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise DescriptionError(f"The overlay {path.name} is not valid: {error}.") from None
