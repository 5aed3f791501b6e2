"""The templates that an environment starts from where nobody names one."""

from __future__ import annotations

from collections.abc import Generator

from twindiff.catalog import TemplateRecord
from twindiff.kit.twin import Twin
from twindiff.server.service import Service
from twindiff.storage.cooperative import CooperativeStep


def default_template(service: Service, twin: Twin) -> TemplateRecord | None:
    """The template `<twin>_default`, or the first by name of a twin that has none; None when there is no template."""
    usual = service.templates.history(twin.name, f"{twin.name}_default")
    if usual:
        return usual[0]
    templates = [template for template in service.templates.list() if template.service == twin.name]
    return min(templates, key=lambda template: template.name, default=None)


def prepare_default(service: Service, twin: str) -> Generator[CooperativeStep, None, None]:
    """Make the template `<twin>_default` ready in parts, which takes a while when a server is asked for it first."""
    yield from service.templates.prepare(service.registry.get(twin), f"{twin}_default")


def empty_template(service: Service, twin: Twin) -> TemplateRecord:
    """The template `<twin>_base`, which a twin that brings none is given, empty."""
    name = f"{twin.name}_base"
    versions = service.templates.history(twin.name, name)
    return versions[0] if versions else service.templates.add(twin, name, {}, origin="built-in")
