"""Operations to export an environment as a file, and to import it from such a file."""

from __future__ import annotations

from typing import Annotated, cast

import msgspec

from twindiff.environments.transfer.format import MAX_FILE_BYTES
from twindiff.kit.http import Response
from twindiff.kit.twin import Operations
from twindiff.server.apis.platform.environments import EnvironmentMade, environment_made
from twindiff.server.parameters import MAX_TTL_SECONDS
from twindiff.server.service import Service

api = Operations()


@api.get("/env/{envId}/export")
async def export_environment(service: Service, env_id: str) -> Response:
    """Export an environment as a file: its templates' rows, journal, checkpoints, calls and the bytes of files.
    The file is JSON lines in gzip. Tokens, client secrets and webhook keys in calls are replaced by stand-ins that open
    nothing; the agent token and tokens given at creation are left out. Secrets in a template's rows stay as they are.
    """
    record = service.environments.record(env_id)
    await service.loader.run_due_work(record.environment_id)
    file = await service.runtime.run_steps(service.transfer.export(record.environment_id, service.calls.log))
    name = f'attachment; filename="{record.environment_id}.jsonl.gz"'
    return Response(file, content_type="application/gzip", headers=(("Content-Disposition", name),))


@api.post("/env/import", status=201, body_limit=MAX_FILE_BYTES)
async def import_environment(
    service: Service,
    file: bytes,
    ttl_seconds: Annotated[int, msgspec.Meta(ge=0, le=MAX_TTL_SECONDS)] | None = None,
    name: str | None = None,
) -> EnvironmentMade:
    """Create an environment from an exported file, which is the body of the request.
    It has the same rows, points, checkpoints, clock and calls, but a new id and a new token. Its time to live is the
    original one unless `ttlSeconds` is given.
    """
    contents = await service.runtime.run_in_thread(lambda: service.transfer.read(file))
    lasts = min(ttl_seconds or contents.head.ttl_seconds, MAX_TTL_SECONDS)
    steps = service.transfer.import_contents(contents, service.calls.log, name=name, ttl_seconds=lasts)
    made = await service.runtime.run_steps(steps)
    templates = [service.templates.get(id) for id in cast(dict[str, str], made.environment.templates).values()]
    return environment_made(made.environment, made.agent_token, templates)
