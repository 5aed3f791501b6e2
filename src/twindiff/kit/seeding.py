"""What provisioning needs to know of a twin: the environment variables of its clients, and how to seed it."""

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

    Each mapping is keyed by variable name. The values of `tokens`, `refresh` and `secrets` are formats in which
    `{secret}` is replaced by the secret of the run: `"xoxb-{secret}"`. `tokens` are access tokens that the twin accepts
    and `refresh` are refresh tokens. The values of `urls` are suffixes of the twin's base URL.
    """

    tokens: Mapping[str, str]
    urls: Mapping[str, str]
    secrets: Mapping[str, str] = {}
    refresh: Mapping[str, str] = {}
    client: tuple[str, str] | None = None
    """The names in `secrets` of the client id and the client secret of an OAuth application."""
    signing: str = ""
    """The name in `secrets` of the secret that signs webhooks."""
    public_key: tuple[str, Callable[[str], str]] | None = None
    """A variable with the key that verifies webhooks, and how it is made of the secret that signs them."""

    def values(self, base_url: str, secret: str) -> dict[str, str]:
        """All variables, by name, for a twin at `base_url` in a run with this secret."""
        forms = {**self.tokens, **self.refresh, **self.secrets}
        made = {name: form.format(secret=secret) for name, form in forms.items()}
        if self.public_key:
            made[self.public_key[0]] = self.public_key[1](self.signing_secret(secret))
        return {**made, **{name: base_url + rest for name, rest in self.urls.items()}}

    def without_urls(self, secret: str) -> dict[str, str]:
        """The variables for a program that calls the vendor's own hosts; each webhook has a secret of its own."""
        own = (*self.urls, self.signing, *(self.public_key or ())[:1])
        return {name: value for name, value in self.values("", secret).items() if name not in own}

    def credentials(self, secret: str) -> list[str]:
        """The tokens that the twin accepts in a run."""
        return sorted({form.format(secret=secret) for form in self.tokens.values()})

    def renewals(self, secret: str) -> list[str]:
        """The refresh tokens that the twin accepts in a run."""
        return sorted({form.format(secret=secret) for form in self.refresh.values()})

    def signing_secret(self, secret: str) -> str:
        """The secret that signs the webhooks of a run; empty if each webhook has its own."""
        if self.signing:
            return self.secrets[self.signing].format(secret=secret)
        return secret if self.public_key else ""

    def clients(self, secret: str) -> dict[str, str]:
        """The client secrets of the run's OAuth applications by client id."""
        if self.client is None:
            return {}
        client_id, client_secret = (self.secrets[name].format(secret=secret) for name in self.client)
        return {client_id: client_secret}


class Person(NamedTuple):
    """A person who exists in every twin of a run, with the same name and email address."""

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
    """How to fill a twin from a hand-written configuration.

    `shape` is a struct whose fields are lists of parts. `write(call, parts, people)` takes an instance of `shape`,
    adds the rows through `call.db`, and returns the number of objects by kind. It raises InvalidSeedConfig for a
    reference to an object that does not exist.
    """

    shape: type[msgspec.Struct]
    write: Callable[[Call, Any, Sequence[Person]], dict[str, int]]

    def read(self, config: Mapping[str, Any]) -> Any:
        """Convert a configuration to an instance of `shape`; raises InvalidSeedConfig with all invalid parts."""
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
    """A part of a seed configuration; unknown fields are refused."""
