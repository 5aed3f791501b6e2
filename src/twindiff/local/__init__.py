"""Everything in one process: environments without a server, and twins that SDKs reach without one."""

from twindiff.local.twindiff import Twindiff as Twindiff
