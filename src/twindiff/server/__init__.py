"""The HTTP server: a gateway that splits the data plane from the control planes."""

from twindiff.server.gateway import Gateway as Gateway
from twindiff.server.service import Service as Service
from twindiff.server.service import Settings as Settings
