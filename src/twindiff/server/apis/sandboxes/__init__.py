"""The Sandbox API: a small contract over the same environments, in which a sandbox is an environment of one twin."""

from twindiff.kit.twin import Dispatch
from twindiff.server.apis.sandboxes import routes
from twindiff.server.apis.sandboxes.style import SandboxStyle

PREFIX = "/v1"

operations = Dispatch(SandboxStyle(), [routes.api])
