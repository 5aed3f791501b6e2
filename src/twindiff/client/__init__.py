"""The Python client of a Twindiff server, for programs with and without `async`. It needs httpx and msgspec alone."""

from .answers import Call as Call
from .answers import Change as Change
from .answers import Checkpoint as Checkpoint
from .answers import Delivery as Delivery
from .answers import Diff as Diff
from .answers import EnvironmentInfo as EnvironmentInfo
from .answers import Imported as Imported
from .answers import Record as Record
from .answers import RunResult as RunResult
from .answers import Suite as Suite
from .answers import Template as Template
from .answers import Test as Test
from .answers import Verdict as Verdict
from .answers import Webhook as Webhook
from .awaited import AsyncClient as AsyncClient
from .awaited import AsyncEnvironment as AsyncEnvironment
from .awaited import AsyncRun as AsyncRun
from .blocking import Client as Client
from .blocking import Environment as Environment
from .blocking import Run as Run
from .sending import Refused as Refused
from .sending import Unreachable as Unreachable
from .trying import OutOfTime as OutOfTime
from .trying import Task as Task
from .trying import Trial as Trial
from .trying import trials as trials
