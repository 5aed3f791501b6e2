"""The templates that an environment starts from if the request names none."""

from __future__ import annotations

from collections.abc import Generator

from twindiff.catalog import TemplateRecord
from twindiff.kit.twin import Twin
from twindiff.server.service import Service
from twindiff.storage.cooperative import CooperativeStep


def default_template(service: Service, twin: Twin) -> TemplateRecord | None:
    """Find the template `<twin>_default`, else the twin's first template by name; None if it has none."""
    usual = service.templates.history(twin.name, f"{twin.name}_default")
    if usual:
        return usual[0]
    templates = [template for template in service.templates.list() if template.service == twin.name]
    return min(templates, key=lambda template: template.name, default=None)


def prepare_default(service: Service, twin: str) -> Generator[CooperativeStep, None, None]:
    """Prepare the template `<twin>_default` in steps; the first preparation on a server takes a while."""
    yield from service.templates.prepare(service.registry.get(twin), f"{twin}_default")


def empty_template(service: Service, twin: Twin) -> TemplateRecord:
    """The empty template `<twin>_base`, added if the twin ships none by that name."""
    name = f"{twin.name}_base"
    versions = service.templates.history(twin.name, name)
    if versions:
        return versions[0]
    return service.templates.add(twin, name, {}, origin="built-in", description="No rows at all")
