"""The catalog: records of templates, environments, runs, suites, tests and calls, as Rows in a durable Store."""

from .records import TABLES as TABLES
from .records import AttemptRecord as AttemptRecord
from .records import CallRecord as CallRecord
from .records import CheckpointRecord as CheckpointRecord
from .records import CheckSettingRecord as CheckSettingRecord
from .records import DeliveryRecord as DeliveryRecord
from .records import EnvironmentRecord as EnvironmentRecord
from .records import OutboxRecord as OutboxRecord
from .records import RunRecord as RunRecord
from .records import SavedTestRecord as SavedTestRecord
from .records import ScenarioRecord as ScenarioRecord
from .records import SuiteRecord as SuiteRecord
from .records import TemplateRecord as TemplateRecord
from .records import TestRecord as TestRecord
from .records import TestRunEventRecord as TestRunEventRecord
from .records import TestRunRecord as TestRunRecord
from .records import TranscriptRecord as TranscriptRecord
from .records import TrialRecord as TrialRecord
from .records import TrialSetRecord as TrialSetRecord
from .records import TwinRunRecord as TwinRunRecord
from .records import WebhookRecord as WebhookRecord
