"""Runs one command inside the door of an environment."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress

from twindiff.cli.journal import calls
from twindiff.cli.problem import CommandError
from twindiff.cli.programs.bundles import find_bundles
from twindiff.cli.programs.networks import Network
from twindiff.cli.programs.private_network import DoorAddress, PrivateNetwork, exit_code, why_no_private_network
from twindiff.cli.programs.receipts import Receipt, make_receipt
from twindiff.cli.remote import Json, Remote
from twindiff.server.apis.test_runs.temporary import hold_temporary_folder
from twindiff.server.door.variables import BUNDLE_FILE, door_variables, write_certificates

NOT_FOUND = 127


def run_program(
    remote: Remote, environment: str, twins: Sequence[str], command: Sequence[str], network: Network
) -> Receipt:
    """Run a command until it ends, and sum up what it called; raises CommandError if it cannot be started."""
    find_program(command[0])
    network = choose_network(network)
    door = remote.post("env", environment, "door", body={"twins": [*twins]} if twins else None)
    environment = door["environmentId"]
    before = calls(remote, "env", environment)
    code = run_inside(door, command, network)
    after = before[-1]["number"] if before else 0
    return make_receipt(environment, code, network.value, calls(remote, "env", environment, after=after))


def find_program(name: str) -> str:
    """The path of a program; raises CommandError if there is none."""
    path = shutil.which(name)
    if path is None:
        raise CommandError(f"There is no program '{name}'. Give one that is on PATH, after `--`.", exit_code=NOT_FOUND)
    return path


def choose_network(wanted: Network) -> Network:
    """A private or the shared network; raises CommandError if it has to be private and cannot."""
    problem = "" if wanted == Network.SHARED else why_no_private_network()
    if problem and wanted == Network.PRIVATE:
        raise CommandError(f"The program cannot have a network of its own: {problem}. Use --network shared.")
    return Network.SHARED if problem or wanted == Network.SHARED else Network.PRIVATE


def run_inside(door: Json, arguments: Sequence[str], network: Network) -> int:
    """Run a command inside a door, given as the platform API describes one; returns its exit code."""
    program = find_program(arguments[0])
    command = [program, *arguments[1:]]
    with hold_temporary_folder("twindiff-door-") as folder:
        write_certificates(folder, door["certificate"])
        if network == Network.SHARED:
            env = os.environ | door_variables(door["proxyUrl"], folder, door["variables"])
            return asyncio.run(_wait(command, env, None))
        inside = f"http://{door['user']}:{door['password']}@127.0.0.1:{door['port']}"
        env = os.environ | door_variables(inside, folder, door["variables"])
        address = DoorAddress(door["host"], door["port"], door["user"], door["password"])
        private = PrivateNetwork(address, folder, find_bundles(program), folder / BUNDLE_FILE)
        try:
            return asyncio.run(_wait(private.wrap(command), env, private))
        finally:
            private.close()


async def _wait(command: list[str], env: dict[str, str], network: PrivateNetwork | None) -> int:
    """Start a command and wait for its end; signals to end go to the command."""
    process = await asyncio.create_subprocess_exec(*command, env=env, pass_fds=(network.passed,) if network else ())
    loop = asyncio.get_running_loop()

    def pass_on(signum: int) -> None:
        with suppress(ProcessLookupError):
            process.send_signal(signum)

    loop.add_signal_handler(signal.SIGINT, lambda: None)  # the terminal sends it to the command too
    loop.add_signal_handler(signal.SIGTERM, pass_on, signal.SIGTERM)
    serving = asyncio.create_task(network.serve()) if network else None
    try:
        return exit_code(await process.wait())
    finally:
        if serving:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
