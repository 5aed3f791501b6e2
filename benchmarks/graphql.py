"""What GraphQL costs: runs parts/graphql_queries.py.

Python looks for modules in the folder of the script it runs. So that the other benchmarks there find the library
`graphql` and not this file, this one gives way when it is imported.
"""

import runpy
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
before = sys.path[:]
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != HERE]

if __name__ == "__main__":
    runpy.run_path(str(HERE / "parts" / "graphql_queries.py"), run_name="__main__")
else:
    del sys.modules[__name__]
    import_module(__name__)
    sys.path[:] = before
