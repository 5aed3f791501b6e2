"""The platform API: environments, runs, templates, suites. Declared with the kit, like the twins' operations."""

from twindiff.kit.twin import Dispatch
from twindiff.server.apis.platform import (
    calls,
    clocks,
    doors,
    environments,
    faults,
    health,
    points,
    rows,
    runs,
    suites,
    templates,
    transfer,
    trial_sets,
    webhooks,
)
from twindiff.server.style import PlatformStyle

PREFIX = "/api/platform"

_PAGES = (
    health,
    environments,
    calls,
    clocks,
    doors,
    faults,
    points,
    rows,
    transfer,
    runs,
    templates,
    suites,
    trial_sets,
    webhooks,
)

platform = Dispatch(PlatformStyle(), [page.api for page in _PAGES])
