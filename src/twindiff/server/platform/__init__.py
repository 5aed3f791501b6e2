"""The platform API: environments, runs, templates, suites. Declared with the kit, served by the same kind of table."""

from twindiff.kit.twin import Dispatch
from twindiff.server.platform import (
    calls,
    carrying,
    clocks,
    environments,
    health,
    points,
    runs,
    suites,
    templates,
    webhooks,
)
from twindiff.server.platform.style import PlatformStyle

PREFIX = "/api/platform"

_PAGES = (health, environments, calls, clocks, points, carrying, runs, templates, suites, webhooks)

platform = Dispatch(PlatformStyle(), [page.api for page in _PAGES])
