"""The platform API: environments, runs, templates, suites. Declared with the kit, served by the same kind of table."""

from twindiff.kit.twin import Dispatch
from twindiff.server.platform import carrying, environments, health, points, runs, suites, templates
from twindiff.server.platform.style import PlatformStyle

PREFIX = "/api/platform"

platform = Dispatch(
    PlatformStyle(), [health.api, environments.api, points.api, carrying.api, runs.api, templates.api, suites.api]
)
