"""Templates created from environments."""

from __future__ import annotations

from twindiff.catalog import TemplateRecord
from twindiff.environments.templates import Naming
from twindiff.server.service import Service


async def copy_template(
    service: Service, env_id: str, twin_name: str, name: str, description: str | None, version: str, visibility: str
) -> TemplateRecord:
    """Store the current state of one twin of an environment as a template."""
    environment = service.environments.get(env_id)
    twin = service.twin_of(environment, twin_name)
    await service.loader.load(environment)
    copying = service.engine.copy_template(environment.id, environment.origin, twin.name)
    stored = await service.runtime.run_steps(copying)
    naming = Naming(twin.name, name, f"environment {environment.id}", description, version, visibility)
    return service.templates.copy(stored, naming)
