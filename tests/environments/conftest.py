"""Two places to carry environments between."""

from collections.abc import Iterator

import pytest

from twindiff.local import Twindiff


@pytest.fixture(scope="module")
def here() -> Iterator[Twindiff]:
    with Twindiff() as td:
        yield td


@pytest.fixture(scope="module")
def there() -> Iterator[Twindiff]:
    with Twindiff() as td:
        yield td
