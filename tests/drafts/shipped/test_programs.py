"""SDKs of vendors, unmodified, inside `twindiff env exec`; `make programs` installs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.harness import LiveServer, Platform
from twindiff.cli.programs.networks import Network
from twindiff.cli.programs.private_network import why_no_private_network
from twindiff.cli.programs.running import run_program
from twindiff.cli.remote import Remote
from twindiff.drafts.shipped import find_shipped
from twindiff.environments.registry import Registry
from twindiff.server import Settings

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / ".tools" / "programs" / "venv" / "bin" / "python"
SPECIFICATIONS = ROOT.parent / "shared" / "specs"
DESCRIBED = ("asana", "discord", "twilio")
ALONE = ("dropbox", "gitlab", "sendgrid")
NO_NETWORK = why_no_private_network()
pytestmark = pytest.mark.skipif(bool(NO_NETWORK), reason=NO_NETWORK or "-")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., int]]:
    """Runs a script in an environment with all drafts that these programs need, and returns its exit code."""
    if not PYTHON.exists():
        pytest.skip("the SDKs are not installed; `make programs` does that")
    here = SPECIFICATIONS.exists()
    drafts = [find_shipped(name).twin([SPECIFICATIONS / name]) for name in DESCRIBED if here]
    drafts += [find_shipped(name).twin() for name in ALONE]
    live = LiveServer(Settings(), Registry(drafts))
    try:
        made = Platform(live.client).post(
            "initEnv",
            {
                "templates": [f"{each.name}:{each.name}_base" for each in drafts],
                "impersonateEmail": "agent@example.com",
            },
        )

        def run(script: str) -> int:
            command = [str(PYTHON), str(Path(__file__).parent / "programs" / script)]
            return run_program(Remote(live.url), made["environmentId"], (), command, Network.AUTO).exit_code

        yield run
    finally:
        live.close()


SAID = {
    "asana_quick_start.py": "25 25 ['Knead 24'] ['Done soon'] True Agent ['urgent'] 404",
    "discord_quick_start.py": "agent [True] ada [('Done', False, []), ('Hello, all!', True, ['👍'])] 10003",
    "discord_gateway_bot.py": "agent ['bake'] / ada: bake! / reply to bake! / 👍 by agent / bake 1 []",
    "dropbox_quick_start.py": "Agent Smith /sports /sports/cavs vs warriors /sports/cavs vs warriors/game.txt 39",
    "gitlab_quick_start.py": "25 25 ada ['bug'] closed ['Seen again'] 1 merged Issue 24 405 404 404 Issue Not Found",
    "sendgrid_quick_start.py": "202 22 201 bakers",
    "twilio_quick_start.py": "SM 34 queued outbound-api +15017122661 ['Ahoy 2', 'Ahoy 1', 'Ahoy 0'] canceled 404 20404",
}


@pytest.mark.parametrize("script", SAID)
def test_the_quick_start_of_an_sdk_runs_unmodified(run: Callable[[str], int], script: str, capfd):
    code = run(script)
    said = capfd.readouterr()
    assert code == 0, said.err
    assert SAID[script] in " ".join(said.out.split())
