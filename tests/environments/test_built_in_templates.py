"""Templates that twins bring: they are loaded when somebody asks for them."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

from twindiff.environments.registry import Registry
from twindiff.environments.templates import InvalidSeed
from twindiff.kit.rows import Column, Row, column
from twindiff.kit.styles.base import Style
from twindiff.kit.twin import Twin
from twindiff.server import Service, Settings


class Vase(Row, table="vases", key=("vase_id",)):
    vase_id: Column[str]
    colour: Column[str] = column(default="blue")


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    (tmp_path / "vases_default.json").write_text(json.dumps({"vases": [{"vase_id": "V1"}]}))
    return tmp_path


@pytest.fixture
def service(seeds: Path):
    service = Service(Settings(), Registry([Twin("vases", Style(), tables=(Vase,), seeds=seeds)]))
    yield service
    service.close()


def test_a_template_is_not_read_before_somebody_asks_for_it(seeds: Path, service: Service) -> None:
    (seeds / "vases_default.json").write_text(json.dumps({"vases": [{"vase_id": "V2"}]}))
    template = service.templates.find_named("vases", "vases_default")
    assert [row.vase_id for row in service.engine.template("vases", template.hash).rows(Vase)] == ["V2"]


def test_a_template_survives_a_transaction_that_is_undone(service: Service) -> None:
    with suppress(ZeroDivisionError), service.engine.transaction():
        assert service.templates.find_named("vases", "vases_default")
        raise ZeroDivisionError
    template = service.templates.find_named("vases", "vases_default")
    assert service.engine.template("vases", template.hash).count(Vase) == 1


def test_a_template_is_found_by_its_content(service: Service) -> None:
    hash = service.templates.find_named("vases", "vases_default").hash
    other = Service(Settings(), service.registry)
    template = other.templates.holding("vases", hash)
    other.close()
    assert template
    assert (template.name, template.origin) == ("vases_default", "built-in")


def test_a_template_is_found_by_its_location(service: Service) -> None:
    template = service.templates.find_at("vases_default")
    assert template
    assert template.service == "vases"


@pytest.mark.parametrize("content", ["no json", "[]", '{"jugs": []}', '{"vases": [{"vase_id": 3}]}'])
def test_a_template_that_cannot_be_read_hides_no_other(content: str, seeds: Path, service: Service) -> None:
    (seeds / "vases_bad.json").write_text(content)
    assert [template.name for template in service.templates.list()] == ["vases_default"]
    with pytest.raises(InvalidSeed):
        service.templates.find_named("vases", "vases_bad")


def test_a_name_that_an_import_takes_is_the_imported_one_from_then_on(service: Service) -> None:
    twin = service.registry.get("vases")
    added = service.templates.add(twin, "vases_default", {"vases": []}, origin="import")
    assert service.templates.find_named("vases", "vases_default") == added
    assert [each.origin for each in service.templates.history("vases", "vases_default")] == ["import", "built-in"]
