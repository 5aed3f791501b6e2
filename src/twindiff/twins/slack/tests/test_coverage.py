"""What the twin says it lacks is what its vendor has and it does not."""

import inspect
import re

import pytest
from slack_sdk import WebClient

from twindiff.twins.slack import twin
from twindiff.twins.slack.core import enterprise_methods

RETIRED = re.compile(r"(channels|groups|im|mpim)\.|files\.upload$|rtm\.start$|workflows\.(step|update)")
OFFICIAL = {
    name
    for name in re.findall(r'self\.api_call\(\s*"([A-Za-z.]+)"', inspect.getsource(WebClient))
    if not RETIRED.match(name)
}
SERVED = set(twin.dispatch.methods)
MISSING = twin.missing or frozenset()


def test_every_method_of_the_vendor_s_client_is_served_or_said_to_be_missing():
    assert not OFFICIAL - SERVED - MISSING
    assert len(OFFICIAL) > 250


def test_no_method_is_both_served_and_said_to_be_missing():
    assert not SERVED & MISSING


def test_no_retired_method_is_missed():
    assert not [name for name in MISSING if RETIRED.match(name)]


@pytest.mark.parametrize("method", ["blocks.validate", "users.setPhoto", "workflows.featured.add"])
def test_a_method_that_is_said_to_be_missing_is_refused_as_an_unknown_one(workspace, method):
    slack = workspace()
    assert method in MISSING
    assert slack(method) == {"ok": False, "error": "unknown_method", "req_method": method}


def test_what_administers_an_organization_is_refused_where_there_is_none(workspace):
    """https://docs.slack.dev/reference/methods/admin.teams.admins.list"""
    slack, refusal = workspace(), {"ok": False, "error": "feature_not_enabled"}
    assert len(enterprise_methods.METHODS) > 100
    assert {method for method in enterprise_methods.METHODS if slack(method) != refusal} == set()


def test_a_method_that_slack_does_not_have_is_unknown_whatever_its_name(workspace):
    assert workspace()("admin.dance")["error"] == "unknown_method"
