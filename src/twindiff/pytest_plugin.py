"""Pytest fixtures for tests of programs that call a vendor; pytest finds them if twindiff is installed.

Their names begin with `twindiff` to avoid conflicts. Their imports are deferred until a test uses one, so that other
test runs do not start more slowly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from twindiff.client import Diff, Environment
    from twindiff.local import Twindiff


@pytest.fixture(scope="session")
def twindiff() -> Iterator[Twindiff]:
    """A `Twindiff`: twins in the process of the tests, with all data in memory."""
    from twindiff.local import Twindiff

    with Twindiff() as here:
        yield here


@pytest.fixture
def twindiff_environment(twindiff: Twindiff) -> Iterator[Callable[..., Environment]]:
    """Create environments that are deleted after the test: `twindiff_environment("slack_default", user="U1")`."""
    made: list[Environment] = []

    def make(*templates: str, **options: Any) -> Environment:
        made.append(twindiff.create(*templates, **options))
        return made[-1]

    yield make
    with ExitStack() as ending:
        for each in made:
            ending.callback(each.delete)


@pytest.fixture
def twindiff_diff() -> Callable[..., Diff]:
    """The net changes in an environment since its creation: `twindiff_diff(env, include="all")["inserts"]`."""

    def differing(environment: Environment, **options: Any) -> Diff:
        return environment.diff(**options)

    return differing
