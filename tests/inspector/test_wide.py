"""A table of 200 columns, and a cell of a megabyte in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

from tests.harness import LiveServer, Platform
from twindiff.environments.registry import Registry
from twindiff.kit import Call, Column, Operations, Row, Twin, column
from twindiff.kit.styles.base import Style

NAMES = [f"column_{number}" for number in range(200)]
row_class: Any = type(Row)
Wide: Any = row_class(
    "Wide",
    (Row,),
    {
        "__module__": __name__,
        "__annotations__": {"id": Column[str], **dict.fromkeys(NAMES, Column[str])},
        **{name: column(default=name.upper()) for name in NAMES},
    },
    table="wide",
    key=("id",),
)
LONG = 1_000_000
api = Operations()


@api.post("/rows", status=201)
def make_row(call: Call, size: int) -> dict[str, Any]:
    """Add a row whose first column is so long."""
    call.db.add(Wide(id=f"row {size}", column_0="x" * size))
    return {}


def test_a_table_of_200_columns_is_shown_whole_and_a_cell_of_a_megabyte_shortened(
    make_server: Callable[..., LiveServer], tmp_path: Path
) -> None:
    (tmp_path / "ledgers_base.json").write_text("{}")
    server = make_server(Registry([Twin("ledgers", Style(), api, tables=(Wide,), seeds=tmp_path)]))
    mine = Platform(server.client).environment("ledgers:ledgers_base", user="anyone")
    assert mine.ask("rows", json={"size": LONG}).status_code == 201
    base = f"/inspect/environments/{mine.id}/tables/ledgers/wide"
    page = server.client.get(base).text
    assert all(f"COLUMN_{number}<" in page for number in range(1, 200))
    assert "x" * 301 not in page
    row = server.client.get(f"{base}/row", params={"key": f'["row {LONG}"]'}).text
    assert ("x" * 20_000 + "… " in row, "x" * 20_001 in row) == (True, False)
    way = re.search(r'href="([^"]*)">all 1,000,000 letters', row)
    assert way
    assert server.client.get(unescape(way[1])).json()[0]["column_0"] == "x" * LONG
