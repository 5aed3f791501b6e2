"""The last program before a command of a sandbox: closes what namespaces leave open, and sets the command's variables.

It is called as `entrance.py DESCRIPTOR COMMAND …` inside of the sandbox, after all privileges are dropped. A file that
is open under the descriptor has the variables as JSON; for `-` the command keeps those that are set. A repository
chooses the variables, and the loader of a program obeys some of them (`LD_PRELOAD`), so no program outside of the
sandbox may have them. It is a standalone program that imports nothing of Twindiff.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys

KEEP = "-"
"""In place of the descriptor, if the command keeps the variables that are set."""
LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF = 444, 446
LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET = 1
MIN_LANDLOCK_ABI = 6
"""The first version of Landlock that restricts abstract sockets, in Linux 6.12."""


class RulesetAttributes(ctypes.Structure):
    """`struct landlock_ruleset_attr`, https://docs.kernel.org/userspace-api/landlock.html."""

    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


def main() -> None:
    """Replace this program by the command."""
    descriptor, *command = sys.argv[1:]
    variables = dict(os.environ) if descriptor == KEEP else _read_variables(int(descriptor))
    close_abstract_sockets()
    try:
        os.execvpe(command[0], command, variables)  # noqa: S606 - no shell is wanted
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


def _read_variables(descriptor: int) -> dict[str, str]:
    """Read the variables; several commands share the open file, so its position is left alone."""
    content = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    os.close(descriptor)
    return json.loads(content)


def close_abstract_sockets() -> None:
    """Refuse connections to abstract Unix sockets of processes outside of this one and its descendants.

    Such sockets have no file, so they belong to the network namespace, which is the machine's. Without effect where the
    kernel has no such rule, and for a user who may still gain privileges.
    """
    if not has_landlock():
        return
    scope = RulesetAttributes(scoped=LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET)
    ruleset = _call(LANDLOCK_CREATE_RULESET, ctypes.byref(scope), ctypes.c_size_t(ctypes.sizeof(scope)), 0)
    if ruleset >= 0:
        _call(LANDLOCK_RESTRICT_SELF, ruleset, 0)
        os.close(ruleset)


def has_landlock() -> bool:
    """Whether the kernel can restrict abstract sockets."""
    return _call(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), 1) >= MIN_LANDLOCK_ABI


def _call(number: int, *arguments: object) -> int:
    """Make a system call; returns -1 if it fails."""
    return ctypes.CDLL(None).syscall(number, *arguments)


if __name__ == "__main__":
    main()
