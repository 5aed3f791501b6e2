"""Hides secrets from other processes, which can read this one's environment and command line."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

API_KEY = "TWINDIFF_API_KEY"
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|STORAGE|DSN|DATABASE_URL", re.IGNORECASE)
"""Names of variables whose values are secrets, or may contain one."""
PR_SET_DUMPABLE = 4


def hide_secrets(*given: str | None) -> None:
    """Overwrite secrets in the memory that `/proc/PID/environ` and `/proc/PID/cmdline` show of this process.

    Every value in `given` is a secret. Variables with the name of a secret stay in `os.environ`, except the server's
    own key, which is removed. If there is a key, processes of the same user can no longer read or trace the memory of
    this one. On Linux all of this works, elsewhere only the environment is overwritten.
    """
    secrets = {name: value for name, value in os.environ.items() if value and _SECRET_NAME.search(name)}
    _overwrite_variables(secrets)
    if sys.platform == "linux":
        _overwrite_arguments(each for each in given if each)
        if any(given):
            ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    os.environ.pop(API_KEY, None)


def _overwrite_variables(secrets: dict[str, str]) -> None:
    """Overwrite values in their original memory; `os.environ` gets copies elsewhere for child processes."""
    find = ctypes.CDLL(None).getenv
    find.restype = ctypes.c_void_p
    for name, value in secrets.items():
        if address := find(os.fsencode(name)):
            ctypes.memset(address, 0, len(os.fsencode(value)))
            os.environ[name] = value


def _overwrite_arguments(secrets: Iterable[str]) -> None:
    """Overwrite arguments that are a secret, or end with one after `=`."""
    with suppress(OSError, ValueError, IndexError):
        after_name = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        first, end = int(after_name[45]), int(after_name[46])  # arg_start and arg_end, fields 48 and 49
        line = ctypes.string_at(first, end - first) if 0 < first < end else b""
        for secret in map(os.fsencode, secrets):
            for match in re.finditer(rb"(?:\0|=)(%b)(?=\0)" % re.escape(secret), line):
                ctypes.memset(first + match.start(1), ord("x"), len(secret))
