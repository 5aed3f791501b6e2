"""Twindiff in process: environments and twins without a server."""

from twindiff.local.twindiff import Twindiff as Twindiff
from twindiff.local.twindiff import connect as connect
