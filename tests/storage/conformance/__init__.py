"""What every storage engine must do, as tests that run against any of them.

An engine's own test module imports the tests and says how to open the engine:

    from twindiff.storage.conformance.adopting import *
    from twindiff.storage.conformance.cascades import *
    from twindiff.storage.conformance.computed import *
    from twindiff.storage.conformance.expressions import *
    from twindiff.storage.conformance.feeds import *
    from twindiff.storage.conformance.journals import *
    from twindiff.storage.conformance.points import *
    from twindiff.storage.conformance.relations import *
    from twindiff.storage.conformance.searching import *
    from twindiff.storage.conformance.stores import *
    from twindiff.storage.conformance.templates import *
    from twindiff.storage.conformance.writing_once import *

    @pytest.fixture(scope="module")
    def storage(tmp_path_factory) -> Storage:
        directory = str(tmp_path_factory.mktemp("data"))
        return lambda: SqliteEngine(directory)

pytest and hypothesis are needed to run them, and are no dependencies of the package.
"""
