"""What an independent probe finds: methods answered, answers of the vendor's types, round trips of its client.

The probe stands in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says. The vendor's types are npm's
@slack/web-api: installed in the checkout's node_modules, unpacked where TWINDIFF_SLACK_WEB_API says, or in npm's cache.
Nothing is fetched.
"""

import importlib
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from twindiff.twins.slack import twin
from twindiff.twins.slack.core import enterprise_methods
from twindiff.twins.slack.tests.calls import CALLS, method_of

CHECKOUT = Path(__file__).parents[5]
SHARED = Path(os.environ.get("TWINDIFF_SHARED", CHECKOUT.parent / "shared"))
PROBE = SHARED / "conformance" / "slack_conformance.py"
PASSED_OVER = {"files.remote.add", "files.remote.update"}
"""What the probe does not find in the client's source, since a comment stands before the names."""
UNTYPED = {"canvases.getContent"}
"""What the vendor's pages have, and its types of release 8.2.0 have not."""
METHODS = set(twin.dispatch.methods) - set(enterprise_methods.METHODS)

pytestmark = pytest.mark.skipif(not PROBE.exists(), reason=f"there is no probe at {PROBE}; set TWINDIFF_SHARED")


@pytest.fixture(scope="module")
def types(tmp_path_factory):
    """The folder of the vendor's response types, or None."""
    given = Path(os.environ.get("TWINDIFF_SLACK_WEB_API", CHECKOUT / "node_modules" / "@slack" / "web-api"))
    package = given if given.exists() else unpacked(tmp_path_factory.mktemp("npm"))
    return package and package / "dist" / "types" / "response"


def unpacked(folder):
    """The package from npm's cache, or None."""
    command = ["npm", "pack", "--offline", "@slack/web-api"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    except FileNotFoundError:
        return None
    if done.returncode:
        return None
    with tarfile.open(folder / done.stdout.split()[-1]) as archive:
        archive.extractall(folder, filter="data")
    return folder / "package"


@pytest.fixture(scope="module")
def report(platform, types, tmp_path_factory):
    """What the probe found in a fresh workspace."""
    environment = platform.environment("slack:slack_default", auth="strict")
    base = str(platform.client.base_url.join(environment.made["environmentUrl"]))
    out = tmp_path_factory.mktemp("probe") / "report.json"
    options = ["--base", base, "--token", environment.token, "--out", str(out)]
    command = [sys.executable, str(PROBE), *options, *(["--types", str(types)] if types else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text())


def test_every_method_we_list_is_answered(report):
    states = {name: operation["state"] for name, operation in report["operations"].items()}
    named = METHODS - PASSED_OVER
    assert {name: states.get(name) for name in named} == dict.fromkeys(named, "implemented")


def test_a_method_we_lack_is_said_to_be_missing(report):
    lacking = {name: operation["state"] for name, operation in report["operations"].items() if name not in METHODS}
    assert set(lacking.values()) == {"missing"}


def test_the_vendor_s_client_makes_its_round(report):
    assert {name: step["detail"] for name, step in report["roundtrip"].items() if not step["ok"]} == {}
    assert len(report["roundtrip"]) >= 70


def test_the_core_is_complete(report):
    core = (SHARED / "conformance" / "core" / "slack.txt").read_text().split("\n")
    states = {name: operation["state"] for name, operation in report["operations"].items()}
    named = [line.strip() for line in core if line.strip() and not line.startswith("#")]
    assert len(named) == 96
    assert {name for name in named if states.get(name, "implemented") != "implemented" or name not in METHODS} == set()


def test_every_answer_on_the_round_is_of_the_vendor_s_type(report, types):
    need(types)
    # An upload in three steps answers otherwise than the retired files.upload, by whose type the probe reads it.
    answers = [answer for answer in report["validity"] if answer["op"] != "files.upload"]
    assert [answer for answer in answers if answer["errors"] or without_rich_text(answer["unknown"])] == []


@pytest.fixture(scope="module")
def schema(types):
    """The vendor's types as the probe reads them, and its checks."""
    need(types)
    sys.path.insert(0, str(PROBE.parent))
    try:
        tools = importlib.import_module("schema_tools")
    finally:
        sys.path.remove(str(PROBE.parent))
    return tools, tools.TsTypes(str(types))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the probe leaves files open
@pytest.mark.parametrize("call", CALLS)
def test_every_answer_of_every_method_is_of_the_vendor_s_type(schema, world, call):
    tools, types = schema
    arguments = dict(CALLS[call])
    world.token = arguments.pop("token", world.token)
    answer = world(method_of(call), **arguments)
    root = types.root(type_name(method_of(call)))
    assert answer["ok"], answer
    if root is None:
        assert method_of(call) in UNTYPED
        return
    assert tools.validate(answer, root, root) == []
    assert without_rich_text(tools.unknown_keys(answer, root, root)) <= DOCUMENTED


def without_rich_text(paths):
    """Leave out what is inside of rich text, which Slack makes of plain messages and its types describe in part."""
    return {path for path in paths if ".blocks[].elements[].elements[]." not in path}


DOCUMENTED = {
    # The pages of auth.revoke and dnd.info have these, the types have not.
    ".revoked",
    # So has the page of messages, https://docs.slack.dev/reference/events/message.
    ".messages[].pinned_to",
    ".items[].message.pinned_to",
    # Rich text has it in every section, https://docs.slack.dev/reference/block-kit/blocks/rich-text-block.
    ".files[].title_blocks[].elements[].elements[].text",
    # Lists are files, https://docs.slack.dev/reference/objects/file-object#lists-related-properties,
    # with the fields of https://docs.slack.dev/reference/methods/slackLists.items.info.
    *(f".files.matches[].list_{name}" for name in ("metadata", "limits", "csv_download_url")),
    *(f".files.matches[].{name}" for name in ("skipped_shares", "is_ai_suggested")),
    # And the pages of lists, https://docs.slack.dev/reference/methods/slackLists.items.list.
    ".items[].parent_record_id",
    ".record.parent_record_id",
    ".list_metadata.schema[].options.default_value",
    ".list_metadata.subtask_schema[].options.default_value",
    *(f".snooze_{name}" for name in ("enabled", "endtime", "remaining", "is_indefinite")),
}


def type_name(method):
    name = "".join(part[:1].upper() + part[1:] for part in method.split("."))
    return f"{name}Response"


def need(types):
    if types is None:
        pytest.skip("@slack/web-api is neither installed nor in npm's cache: `npm install --no-save @slack/web-api`")
