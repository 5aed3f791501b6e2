"""Tests as a Gymnasium environment, https://gymnasium.farama.org/api/env/. Importing it registers `twindiff/Suite-v0`.

An action is the JSON of one request to a twin, `{"api": "slack", "method": "POST", "path": "chat.postMessage",
"body": {…}}`, or `{"finish": true}` when the agent is done. No action raises an exception.
"""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, cast

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise ImportError(f"This needs Gymnasium ({error}): pip install 'twindiff[gymnasium]'.") from None
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from twindiff.client import Test
from twindiff.client.request_specs import Point
from twindiff.client.twin_tool import SHOWN, TwinResponse
from twindiff.frameworks.episodes import (
    LEASE_SECONDS,
    Episode,
    EpisodeLost,
    EpisodeSource,
    Json,
    chosen_tests,
    platform_of,
    platform_with,
    reasons,
    reward,
    share,
)

ID = "twindiff/Suite-v0"
MAX_STEPS = 40
STEPS: Json = {"mode": "steps"}
"""The clock of environments with a seed: it advances with each operation."""
_ASCII = string.printable
_ESCAPED = 6
"""The longest form of one letter in JSON: `\\u1234`."""


MAX_WORKERS = 64
"""Requests that a vector environment has under way at once, over HTTP."""
StepResult = tuple["Observation", float, bool, bool, Json]
Observation = dict[str, Any]
"""An observation: `prompt`, `status` and `answer`.

`prompt` and `answer` are JSON in ASCII: the test's prompt, and the body of the twin's response, as a JSON string if it
is not JSON. `status` is the HTTP status, or 0 for an action without a request.
"""


class SuiteEnv(gymnasium.Env[Observation, str]):
    """Tests of a suite. `reset(options={"test": "rename"})` selects one by name or id; by default the seed does.

    The reward is 0.0 until the agent is done or `max_steps` are taken; then it is 1.0 if the test passed. `info` has
    `test`, and at the end `passed`, `score` from 0 to 1 and `reasons`.

    `files` is a folder with seeds and suites of your own, which is imported into this process. `pool` is a pool of
    `twindiff.pool` in which the episodes are, or one as `module:name`; an episode whose process ends is truncated with
    `info["error"]`, and the next `reset` begins another. Once an environment is
    reset with a seed, its clock counts steps, so equal seeds and actions give equal observations.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        suite: str = "starter",
        tests: str = "",
        base_url: str = "",
        max_steps: int = MAX_STEPS,
        files: str = "",
        pool: EpisodeSource | str = "",
    ) -> None:
        self._platform = platform_of(pool, base_url) if pool else platform_with(files, base_url)
        self._tests = chosen_tests(self._platform, suite, tests)
        self._max_steps = max_steps
        self._episode: Episode | None = None
        self._steps = 0
        self._is_seeded = False
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
        self._is_seeded = self._is_seeded or seed is not None
        test = self._choose_test(options or {})
        clock = STEPS if self._is_seeded and test.clock is None else None
        self._episode = Episode.begin(self._platform, test, lease_seconds=LEASE_SECONDS, clock=clock)
        self._steps = 0
        return self._observe(TwinResponse(0, "")), self._info()

    def step(self, action: str) -> tuple[Observation, float, bool, bool, Json]:
        try:
            return self._act(action)
        except EpisodeLost as lost:
            seen = self._observe(TwinResponse(0, str(lost)))
            return seen, 0.0, False, True, {**self._info(), "error": str(lost)}

    def _act(self, action: str) -> tuple[Observation, float, bool, bool, Json]:
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
        return self.forks(1)[0]

    def forks(self, count: int) -> list[SuiteEnv]:
        """Create independent environments that continue from here, each with a copy of the random generator."""
        return [self._with_episode(episode) for episode in self.episode.forks(count)]

    def _with_episode(self, episode: Episode) -> SuiteEnv:
        fork: SuiteEnv = object.__new__(type(self))
        vars(fork).update(vars(self))
        fork._episode = episode
        if self._np_random is not None:
            fork._np_random = copy_generator(self._np_random)
        return fork

    def close(self) -> None:
        if self._episode is not None:
            with suppress(EpisodeLost):
                self._episode.close()
            self._episode = None

    def _choose_test(self, options: Json) -> Test:
        if unknown := sorted(options.keys() - {"test"}):
            raise ValueError(f"reset() has no option {unknown[0]!r}; the only one is 'test', the name or id of a test.")
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


def copy_generator(generator: Any) -> Any:
    """Return a random generator of its own with the same state; a deep copy takes ten times as long."""
    bits = type(generator.bit_generator)(0)
    bits.state = generator.bit_generator.state
    return type(generator)(bits)


def _arguments(action: str) -> Json:
    try:
        arguments: Any = json.loads(action)
    except (TypeError, ValueError):
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


class SuiteVectorEnv(VectorEnv[Any, Any, Any]):
    """Many `SuiteEnv`s that are stepped at once: `make_vec(…, vectorization_mode="vector_entry_point")`.

    `step_async` starts the steps, `step_wait` returns their results; `step` does both. Over HTTP and in a pool,
    `workers` requests are under way at once; in process the twins serve one request at a time. A sub-environment whose
    episode is over is reset by its next step, which ignores its action (Gymnasium's `AutoresetMode.NEXT_STEP`).
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, num_envs: int = 1, workers: int = MAX_WORKERS, **options: Any) -> None:
        self.num_envs = num_envs
        self.envs = [SuiteEnv(**options) for _ in range(num_envs)]
        self._shown: Any = self.envs[0].observation_space
        self.single_action_space, self.single_observation_space = self.envs[0].action_space, self._shown
        self.action_space = batch_space(self.envs[0].action_space, num_envs)
        self.observation_space = batch_space(self._shown, num_envs)
        is_remote = bool(options.get("base_url") or options.get("pool"))
        self._threads = ThreadPoolExecutor(min(workers, num_envs)) if is_remote else None
        self._is_over = [False] * num_envs
        self._stepping: list[Callable[[], StepResult]] | None = None

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Json | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Reset all; a single seed stands for that seed and its successors."""
        seeds = [None] * self.num_envs if seed is None else seed
        seeds = [seeds + at for at in range(self.num_envs)] if isinstance(seeds, int) else seeds
        works = [partial(env.reset, seed=each, options=options) for env, each in zip(self.envs, seeds, strict=True)]
        results = [each() for each in self._start(works)]
        self._is_over = [False] * self.num_envs
        return self._batch([seen for seen, _ in results]), self._infos([info for _, info in results])

    def step_async(self, actions: Sequence[str]) -> None:
        """Start a step of each environment."""
        if self._stepping is not None:
            raise gymnasium.error.AlreadyPendingCallError("step_wait() has not been called since step_async().", "step")
        works = [partial(self._step_one, at, action) for at, action in enumerate(actions)]
        self._stepping = self._start(works)

    def step_wait(self) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Return the results of the steps that `step_async` started, when all of them are done."""
        if self._stepping is None:
            raise gymnasium.error.NoAsyncCallError("step_async() has not been called.", "step")
        results, self._stepping = [each() for each in self._stepping], None
        seen, rewards, ended, cut, infos = zip(*results, strict=True)
        self._is_over = [one or other for one, other in zip(ended, cut, strict=True)]
        over, truncated = np.array(ended, dtype=np.bool_), np.array(cut, dtype=np.bool_)
        return self._batch(seen), np.array(rewards, dtype=np.float64), over, truncated, self._infos(infos)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step all environments at once."""
        self.step_async(actions)
        return self.step_wait()

    def fork(self, at: int) -> None:
        """Make all sub-environments forks of the one at an index: the same state from which each goes its own way."""
        others = iter(self.envs[at].forks(self.num_envs - 1))
        for number, env in enumerate(self.envs):
            if number != at:
                env.close()
                self.envs[number] = next(others)
        self._is_over = [self._is_over[at]] * self.num_envs

    def close_extras(self, **kwargs: Any) -> None:
        for env in self.envs:
            env.close()
        if self._threads:
            self._threads.shutdown()

    def _step_one(self, at: int, action: str) -> StepResult:
        if self._is_over[at]:
            seen, info = self.envs[at].reset()
            return seen, 0.0, False, False, info
        return self.envs[at].step(action)

    def _start(self, works: Sequence[Callable[[], Any]]) -> list[Callable[[], Any]]:
        """Start work in the threads, if there are any; each result is returned by a function."""
        return [self._threads.submit(work).result for work in works] if self._threads else [*works]

    def _batch(self, seen: Sequence[Observation]) -> Any:
        return concatenate(self._shown, seen, create_empty_array(self._shown, self.num_envs))

    def _infos(self, infos: Sequence[Json]) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for at, info in enumerate(infos):
            merged = self._add_info(merged, info, at)
        return merged


gymnasium.register(  # pyright: ignore[reportUnknownMemberType]
    id=ID, entry_point=f"{__name__}:SuiteEnv", vector_entry_point=f"{__name__}:SuiteVectorEnv"
)
