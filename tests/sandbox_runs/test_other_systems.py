"""Where applications cannot be started, sandbox runs are refused with what to do instead."""

import sys

from tests.sandbox_runs.conftest import SERVES


def test_a_sandbox_run_on_another_system_than_linux_is_refused_in_a_sentence(sandboxes, repository, monkeypatch):
    made = repository(app_DOT_py=SERVES)
    monkeypatch.setattr(sys, "platform", "darwin")
    status, said = sandboxes.refused(repo=str(made.path))
    assert (status, said.startswith("the server runs on macOS"), "start_url" in said) == (422, True, True)
