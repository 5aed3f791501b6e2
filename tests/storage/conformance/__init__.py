"""What every storage engine must do, as tests that run against any of them.

An engine's own test module imports the tests and says how to open the engine:

    from tests.storage.conformance.adopting import *
    from tests.storage.conformance.cascades import *
    from tests.storage.conformance.computed import *
    from tests.storage.conformance.expressions import *
    from tests.storage.conformance.feeds import *
    from tests.storage.conformance.journals import *
    from tests.storage.conformance.points import *
    from tests.storage.conformance.relations import *
    from tests.storage.conformance.searching import *
    from tests.storage.conformance.stores import *
    from tests.storage.conformance.templates import *
    from tests.storage.conformance.writing_once import *

    from tests.storage.conformance.worlds import world  # noqa: F401

    @pytest.fixture(scope="module")
    def storage(tmp_path_factory) -> Storage:
        directory = str(tmp_path_factory.mktemp("data"))
        return lambda: SqliteEngine(directory)

`tests/storage/test_sqlite_conforms.py` is an example.
"""
