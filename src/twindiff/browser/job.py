"""What a worker is told when it starts, and the lines it answers with."""

from __future__ import annotations

import msgspec

from twindiff.browser.config import TestConfig

ALLOWANCE_SECONDS = 15
"""How long a worker that was told to end has for its artifacts, before it is killed."""
MARK = "TWINDIFF_TEST_RUN"
"""The variable by which processes of a run are known, to whoever must end them."""


class LanguageModel(msgspec.Struct):
    """A language model at an OpenAI- or Anthropic-compatible address."""

    url: str
    name: str
    headers: dict[str, str] = {}
    is_anthropic: bool = False


class BrowserLimits(msgspec.Struct):
    """What a run may use."""

    seconds: float = 300
    memory_mb: int = 1500
    """Of all its processes together."""
    network_mb: int = 200
    """What comes over the network."""
    file_mb: int = 300
    """The largest file that one of its processes may write; a larger one ends it, so it is more than comes in."""


class BrowserJob(msgspec.Struct):
    """A run to be done; `folder` is where its artifacts go, and `control` the address of the server itself."""

    run_id: str
    start_url: str
    config: TestConfig
    folder: str
    chromium: str
    control: list[str] = []
    hosts: list[str] = []
    twins: list[str] = []
    """Addresses of the run's twins, which a page may call."""
    values: dict[str, str] = {}
    secrets: list[str] = []
    """Names of values that no record shows."""
    prompt: str = ""
    goal: bool = False
    """Whether a model is to reach what the prompt says, after the steps that are known."""
    model: LanguageModel | None = None
    limits: BrowserLimits = msgspec.field(default_factory=BrowserLimits)


class RunEvent(msgspec.Struct, omit_defaults=True):
    """Something that happened in a run."""

    type: str
    message: str
    data: dict[str, object] = {}


class WorkerMessage(msgspec.Struct, omit_defaults=True):
    """What a running worker is told: an answer to its question, or to end."""

    message: str = ""
    cancel: bool = False
