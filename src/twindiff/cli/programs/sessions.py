"""Session files: requests of a program to a vendor and the vendor's answers, without secrets, one JSON value a line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from twindiff.cli.problem import CommandError
from twindiff.environments.transcripts import RecordedRequest, RecordedResponse

VERSION = 1
MAX_FILE_BYTES = 256_000_000


class SessionHead(msgspec.Struct):
    """The first line of a session file."""

    kind: Literal["session"] = "session"
    version: int = VERSION


class SessionStep(msgspec.Struct):
    """One request and its answer; secrets in them are `(left out)`."""

    number: int
    host: str
    request: RecordedRequest
    answer: RecordedResponse


def write_session(file: Path, steps: Sequence[SessionStep]) -> None:
    """Write a session, readable by its owner only; raises CommandError."""
    lines = b"\n".join(msgspec.json.encode(each) for each in (SessionHead(), *steps))
    try:
        file.touch(mode=0o600)
        file.write_bytes(lines + b"\n")
    except OSError as error:
        raise CommandError(f"The session cannot be written to {file}: {error}.") from None


def read_session(file: Path) -> list[SessionStep]:
    """Read a session; raises CommandError for a file that is none."""
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise CommandError(f"{file} is larger than {MAX_FILE_BYTES:,} bytes, which no session file is.")
        head, *lines = file.read_bytes().splitlines() or [b""]
        version = msgspec.json.decode(head, type=SessionHead).version
        steps = [msgspec.json.decode(line, type=SessionStep) for line in lines if line]
    except OSError as error:
        raise CommandError(f"The session {file} cannot be read: {error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} is no session of `twindiff record`: {error}.") from None
    if version != VERSION:
        raise CommandError(f"{file} is a session of version {version}; this release reads version {VERSION}.")
    return steps
