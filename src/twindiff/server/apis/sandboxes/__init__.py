"""The Sandbox API: a small API over the same environments; a sandbox is an environment with exactly one twin."""

from twindiff.kit.twin import Dispatch
from twindiff.server.apis.sandboxes import routes
from twindiff.server.apis.sandboxes.style import SandboxStyle

PREFIX = "/v1"

operations = Dispatch(SandboxStyle(), [routes.api])
