"""What a twin says of itself to those who provision it: variables that programs read, and how a world is seeded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from .call import Call
from .errors import ApiError

S = TypeVar("S", bound=msgspec.Struct)


class Variables(NamedTuple):
    """Environment variables that the vendor's SDKs and applications read.

    `tokens` and `secrets` are made of a secret of the run, which stands for `{secret}`; a token is a credential that
    the twin accepts, one of `refresh` renews access. `urls` are what follows the twin's base URL.
    """

    tokens: Mapping[str, str]
    urls: Mapping[str, str]
    secrets: Mapping[str, str] = {}
    refresh: Mapping[str, str] = {}
    client: tuple[str, str] | None = None
    """The variables that hold the id and the secret of an OAuth application."""
    signing: str = ""
    """The variable that holds the secret by which events are signed."""

    def values(self, base_url: str, secret: str) -> dict[str, str]:
        """All of them for one twin of one run."""
        forms = {**self.tokens, **self.refresh, **self.secrets}
        made = {name: form.format(secret=secret) for name, form in forms.items()}
        return {**made, **{name: base_url + rest for name, rest in self.urls.items()}}

    def credentials(self, secret: str) -> list[str]:
        """The tokens that the twin accepts in a run."""
        return sorted({form.format(secret=secret) for form in self.tokens.values()})

    def renewals(self, secret: str) -> list[str]:
        """The refresh tokens that the twin accepts in a run."""
        return sorted({form.format(secret=secret) for form in self.refresh.values()})

    def signing_secret(self, secret: str) -> str:
        """The secret by which events are signed in a run; empty where each webhook has its own."""
        return self.secrets[self.signing].format(secret=secret) if self.signing else ""

    def clients(self, secret: str) -> dict[str, str]:
        """The secrets of the run's OAuth applications by client id."""
        if self.client is None:
            return {}
        client_id, client_secret = (self.secrets[name].format(secret=secret) for name in self.client)
        return {client_id: client_secret}


class Person(NamedTuple):
    """Somebody who is in every twin of a world, under the same name and email address."""

    name: str
    email: str
    timezone: str = "Etc/UTC"


class InvalidSeedConfig(ApiError):
    """Parts of a seed configuration cannot be used; nothing was made of it."""

    status = 422

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems[:50]))
        self.problems = tuple(problems)


class Seeding(NamedTuple):
    """How a twin is filled from a configuration that people write.

    `shape` is a struct whose fields are lists of parts; `write(call, parts, people)` makes rows of them, as an
    operation of the twin would, and gives how many of each kind there are. It raises InvalidSeedConfig for a reference
    to what is not there.
    """

    shape: type[msgspec.Struct]
    write: Callable[[Call, Any, Sequence[Person]], dict[str, int]]

    def read(self, config: Mapping[str, Any]) -> Any:
        """The parts of a configuration; raises InvalidSeedConfig that names each one that does not fit, and why."""
        kinds = {field.encode_name: field.type for field in msgspec.structs.fields(self.shape)}
        problems: list[str] = []
        read: dict[str, Any] = {}
        for name, given in config.items():
            if name not in kinds:
                problems.append(f"{name}: {_unknown(name, kinds)}")
            elif not isinstance(given, list):
                problems.append(f"{name}: expected a list")
            else:
                read[name] = _parts(name, cast(list[Any], given), kinds[name], problems)
        if problems:
            raise InvalidSeedConfig(problems)
        return self.shape(**read)


def _parts(name: str, given: list[Any], kind: Any, problems: list[str]) -> list[Any]:
    converted: list[Any] = []
    for number, each in enumerate(given):
        try:
            converted += msgspec.convert([each], kind)
        except msgspec.ValidationError as error:
            text, _, path = str(error).partition(" - at `$[0]")
            problems.append(f"{name}[{number}]{path.rstrip('`')}: {text}")
    return converted


def _unknown(name: str, known: Mapping[str, Any]) -> str:
    near = get_close_matches(name, list(known), n=1)
    said = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known)}"
    return f"there is no such part; {said}"


class SeedSection(msgspec.Struct, forbid_unknown_fields=True):
    """A part of a seed configuration: what it does not know it refuses."""
