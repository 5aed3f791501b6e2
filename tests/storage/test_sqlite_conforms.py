"""The embedded engine passes the suite that every engine must pass."""

import pytest

from tests.storage.conformance.adopting import *  # noqa: F403
from tests.storage.conformance.cascades import *  # noqa: F403
from tests.storage.conformance.computed import *  # noqa: F403
from tests.storage.conformance.expressions import *  # noqa: F403
from tests.storage.conformance.feeds import *  # noqa: F403
from tests.storage.conformance.journals import *  # noqa: F403
from tests.storage.conformance.points import *  # noqa: F403
from tests.storage.conformance.points import assert_rebuilt
from tests.storage.conformance.relations import *  # noqa: F403
from tests.storage.conformance.searching import *  # noqa: F403
from tests.storage.conformance.stores import *  # noqa: F403
from tests.storage.conformance.templates import *  # noqa: F403
from tests.storage.conformance.worlds import Storage, World, world  # noqa: F401
from tests.storage.conformance.writing_once import *  # noqa: F403
from twindiff.storage.sqlite import SqliteEngine


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Storage:
    directory = str(tmp_path_factory.mktemp("data"))
    return lambda: SqliteEngine(directory)


def test_what_takes_an_image_and_the_journal_is_rebuilt_exactly(world: World) -> None:  # noqa: F811
    assert_rebuilt(world, 1001)
