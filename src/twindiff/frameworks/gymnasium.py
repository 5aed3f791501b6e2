"""Tests as a Gymnasium environment, https://gymnasium.farama.org/api/env/. Importing it registers `twindiff/Suite-v0`.

An action is the JSON of one request to a twin, `{"api": "slack", "method": "POST", "path": "chat.postMessage",
"body": {…}}`, or `{"finish": true}` when the agent is done. No action raises an exception.
"""

from __future__ import annotations

import json
import string
from typing import Any, cast

import gymnasium
from gymnasium import spaces

from twindiff.client import Test
from twindiff.client.request_specs import Point
from twindiff.client.twin_tool import SHOWN, TwinResponse
from twindiff.frameworks.episodes import Episode, Json, chosen_tests, platform_at, reasons, reward, share

ID = "twindiff/Suite-v0"
MAX_STEPS = 40
_ASCII = string.printable
_ESCAPED = 6
"""The longest form of one letter in JSON: `\\u1234`."""


Observation = dict[str, Any]
"""An observation: `prompt`, `status` and `answer`.

`prompt` and `answer` are JSON in ASCII: the test's prompt, and the body of the twin's response, as a JSON string if it
is not JSON. `status` is the HTTP status, or 0 for an action without a request.
"""


class SuiteEnv(gymnasium.Env[Observation, str]):
    """Tests of a suite. `reset(options={"test": "rename"})` selects one by name or id; by default the seed does.

    The reward is 0.0 until the agent is done or `max_steps` are taken; then it is 1.0 if the test passed. `info` has
    `test`, and at the end `passed`, `score` from 0 to 1 and `reasons`.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, suite: str = "starter", tests: str = "", base_url: str = "", max_steps: int = MAX_STEPS) -> None:
        self._platform = platform_at(base_url)
        self._tests = chosen_tests(self._platform, suite, tests)
        self._max_steps = max_steps
        self._episode: Episode | None = None
        self._steps = 0
        self.action_space = spaces.Text(SHOWN, min_length=0, charset=_ASCII)
        shown = spaces.Text(SHOWN * _ESCAPED, min_length=0, charset=_ASCII)
        self.observation_space = spaces.Dict({"prompt": shown, "status": spaces.Discrete(600), "answer": shown})

    @property
    def episode(self) -> Episode:
        """The current episode; raises ResetNeeded before the first `reset`."""
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("Call reset() before this.")
        return self._episode

    def reset(self, *, seed: int | None = None, options: Json | None = None) -> tuple[Observation, Json]:
        super().reset(seed=seed)
        self.close()
        self._episode = Episode.begin(self._platform, self._choose_test(options or {}))
        self._steps = 0
        return self._observe(TwinResponse(0, "")), self._info()

    def step(self, action: str) -> tuple[Observation, float, bool, bool, Json]:
        arguments = _arguments(action)
        is_over = arguments.get("finish") is True
        answered = TwinResponse(0, "") if is_over else _call_twin(self.episode, arguments)
        self._steps += 1
        is_cut = not is_over and self._steps >= self._max_steps
        if not (is_over or is_cut):
            return self._observe(answered), 0.0, False, False, self._info()
        verdict = self.episode.verdict()
        said = {"passed": verdict.passed, "score": share(verdict), "reasons": list(reasons(verdict))}
        return self._observe(answered), reward(verdict), is_over, is_cut, {**self._info(), **said}

    def clone_state(self) -> int:
        """The current point, for `restore_state`."""
        return self.episode.environment.seq()

    def restore_state(self, point: Point) -> None:
        """Rewind to a point; the number of steps is not reset."""
        self.episode.environment.rewind(point)

    def fork(self) -> SuiteEnv:
        """Create an independent environment that continues from here; it must be closed too."""
        fork: SuiteEnv = object.__new__(type(self))
        vars(fork).update(vars(self))
        fork._episode = self.episode.fork()
        return fork

    def close(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None

    def _choose_test(self, options: Json) -> Test:
        wanted = options.get("test")
        if wanted is None:
            return self._tests[int(self.np_random.integers(len(self._tests)))]
        for each in self._tests:
            if wanted == each.id or str(wanted).lower() in each.name.lower():
                return each
        raise ValueError(f"No test has {wanted!r} in its name: {', '.join(each.name for each in self._tests)}")

    def _observe(self, answered: TwinResponse) -> Observation:
        prompt = json.dumps(self.episode.test.prompt)
        return {"prompt": prompt, "status": answered.status, "answer": _ascii(answered.text)}

    def _info(self) -> Json:
        return {"test": self.episode.test.name}


def _arguments(action: str) -> Json:
    try:
        arguments: Any = json.loads(action)
    except ValueError:
        return {}
    return cast(Json, arguments) if isinstance(arguments, dict) else {}


def _call_twin(episode: Episode, arguments: Json) -> TwinResponse:
    if not arguments:
        return TwinResponse(0, "An action is a JSON object with api, method, path and perhaps query and body.")
    return episode.call(arguments)


def _ascii(text: str) -> str:
    try:
        return json.dumps(json.loads(text))
    except ValueError:
        return json.dumps(text)


gymnasium.register(id=ID, entry_point=f"{__name__}:SuiteEnv")  # pyright: ignore[reportUnknownMemberType]
