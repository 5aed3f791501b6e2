"""The messages between server and worker: the job, messages to a running worker, and the events it reports."""

from __future__ import annotations

import msgspec

from twindiff.browser.config import TestConfig

ALLOWANCE_SECONDS = 15
"""Seconds that a worker has to save its artifacts after it was asked to end, before it is killed."""
DEFAULT_STEP_SECONDS = 10.0
"""Seconds to wait for an element or an expectation, unless the step sets a timeout."""
MARK = "TWINDIFF_TEST_RUN"
"""The environment variable that identifies processes of a run."""

TYPED_SECRET = "typed_secret"  # noqa: S105 - a name
"""The type of an event that reports a secret which no record may show; it is never recorded itself."""


class LanguageModel(msgspec.Struct):
    """A language model at an OpenAI- or Anthropic-compatible address."""

    url: str
    name: str
    headers: dict[str, str] = {}
    is_anthropic: bool = False


class BrowserLimits(msgspec.Struct):
    """The resource limits of a run."""

    seconds: float = 300
    memory_mb: int = 1500
    """Of all its processes together."""
    network_mb: int = 200
    """Received over the network."""
    file_mb: int = 300
    """The largest file that a process may write; it exceeds `network_mb`, since a larger file ends the process."""
    step_seconds: float = DEFAULT_STEP_SECONDS


class BrowserJob(msgspec.Struct):
    """A run to execute; `folder` is where its artifacts go, and `control` are the addresses of the server itself."""

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
    """Names of values that no record may show."""
    hidden: list[str] = []
    """Further texts that no record may show."""
    prompt: str = ""
    goal: bool = False
    """Whether a model continues towards the goal in `prompt` after the known steps."""
    model: LanguageModel | None = None
    limits: BrowserLimits = msgspec.field(default_factory=BrowserLimits)


class RunEvent(msgspec.Struct, omit_defaults=True):
    """Something that happened in a run."""

    type: str
    message: str
    data: dict[str, object] = {}


class WorkerMessage(msgspec.Struct, omit_defaults=True):
    """A message to a running worker: the answer to its question, or a cancellation."""

    message: str = ""
    cancel: bool = False
