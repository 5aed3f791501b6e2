"""The namespaces for twin runs, scenarios and twins, as in Arga's clients; each exists for both kinds of client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import wraps
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from . import run_specs
from .request_specs import RequestSpec
from .transport import ServerSentEvent

P = ParamSpec("P")
T = TypeVar("T")


class Sender(Protocol):
    """A synchronous client."""

    def send(self, spec: RequestSpec[T]) -> T: ...
    def pause(self, seconds: float) -> None: ...
    def listen(self, path: str) -> Iterator[ServerSentEvent]: ...


class AsyncSender(Protocol):
    """An asynchronous client."""

    async def send(self, spec: RequestSpec[T]) -> T: ...
    async def pause(self, seconds: float) -> None: ...
    def listen(self, path: str) -> AsyncIterator[ServerSentEvent]: ...


class Sent(Generic[P, T]):
    """A descriptor for a method: `describe` makes a RequestSpec of its arguments, which the client sends."""

    def __init__(self, describe: Callable[P, RequestSpec[T]]) -> None:
        self._describe = describe

    def __get__(self, namespace: Namespace, owner: Any = None) -> Callable[P, T]:
        @wraps(self._describe)
        def send(*given: P.args, **named: P.kwargs) -> T:
            return namespace.client.send(self._describe(*given, **named))

        return send


class Awaited(Generic[P, T]):
    """Like Sent, for an asynchronous method."""

    def __init__(self, describe: Callable[P, RequestSpec[T]]) -> None:
        self._describe = describe

    def __get__(self, namespace: AsyncNamespace, owner: Any = None) -> Callable[P, Awaitable[T]]:
        @wraps(self._describe)
        async def send(*given: P.args, **named: P.kwargs) -> T:
            return await namespace.client.send(self._describe(*given, **named))

        return send


class Namespace:
    """A group of methods of a client."""

    def __init__(self, client: Sender) -> None:
        self.client = client


class AsyncNamespace:
    """A group of asynchronous methods of a client."""

    def __init__(self, client: AsyncSender) -> None:
        self.client = client


class TwinRuns(Namespace):
    """Environments of several twins for an application under test."""

    create = Sent(run_specs.create_twin_run)
    list = Sent(run_specs.twin_runs)
    get = Sent(run_specs.twin_run)
    extend = Sent(run_specs.extend_twin_run)
    lock = Sent(run_specs.lock_twin_run)
    reset = Sent(run_specs.reset_twin_run)
    teardown = Sent(run_specs.tear_down_twin_run)


class AsyncTwinRuns(AsyncNamespace):
    """Environments of several twins for an application under test."""

    create = Awaited(run_specs.create_twin_run)
    list = Awaited(run_specs.twin_runs)
    get = Awaited(run_specs.twin_run)
    extend = Awaited(run_specs.extend_twin_run)
    lock = Awaited(run_specs.lock_twin_run)
    reset = Awaited(run_specs.reset_twin_run)
    teardown = Awaited(run_specs.tear_down_twin_run)


class Twins(Namespace):
    """The installed twins, and twin runs with the method names of Arga's SDK."""

    list = Sent(run_specs.twins)
    provision = Sent(run_specs.create_twin_run)
    get_status = Sent(run_specs.twin_run)
    reset = Sent(run_specs.reset_twin_run)
    extend = Sent(run_specs.extend_twin_run)
    teardown = Sent(run_specs.tear_down_twin_run)


class AsyncTwins(AsyncNamespace):
    """The installed twins, and twin runs with the method names of Arga's SDK."""

    list = Awaited(run_specs.twins)
    provision = Awaited(run_specs.create_twin_run)
    get_status = Awaited(run_specs.twin_run)
    reset = Awaited(run_specs.reset_twin_run)
    extend = Awaited(run_specs.extend_twin_run)
    teardown = Awaited(run_specs.tear_down_twin_run)


class Scenarios(Namespace):
    """Scenarios (saved data for twins) and their permanent environments."""

    create = Sent(run_specs.create_scenario)
    list = Sent(run_specs.scenarios)
    presets = Sent(run_specs.presets)
    get = Sent(run_specs.scenario)
    update = Sent(run_specs.update_scenario)
    delete = Sent(run_specs.delete_scenario)
    ensure_twin_environment = Sent(run_specs.ensure_twin_environment)
    get_twin_environment = Sent(run_specs.twin_environment)
    reseed_twin_environment = Sent(run_specs.reseed_twin_environment)
    delete_twin_environment = Sent(run_specs.delete_twin_environment)
    list_twin_environments = Sent(run_specs.twin_environments)


class AsyncScenarios(AsyncNamespace):
    """Scenarios (saved data for twins) and their permanent environments."""

    create = Awaited(run_specs.create_scenario)
    list = Awaited(run_specs.scenarios)
    presets = Awaited(run_specs.presets)
    get = Awaited(run_specs.scenario)
    update = Awaited(run_specs.update_scenario)
    delete = Awaited(run_specs.delete_scenario)
    ensure_twin_environment = Awaited(run_specs.ensure_twin_environment)
    get_twin_environment = Awaited(run_specs.twin_environment)
    reseed_twin_environment = Awaited(run_specs.reseed_twin_environment)
    delete_twin_environment = Awaited(run_specs.delete_twin_environment)
    list_twin_environments = Awaited(run_specs.twin_environments)
