"""Error codes of lists, one class each.

https://docs.slack.dev/reference/methods?family=slackLists
"""

from __future__ import annotations

from twindiff.kit import ApiError


class ColumnIdNotProvided(ApiError):
    """A cell names its column."""


class DuplicatedItemNotFound(ApiError):
    """There is no such item to copy."""


class InvalidArgs(ApiError):
    """There is no such item to put a subtask under."""


class InvalidColumnId(ApiError):
    """The list has no such column."""


class InvalidColumnType(ApiError):
    """Columns cannot be of this type."""


class InvalidCopyAndSchemaArgs(ApiError):
    """A list that copies another has its columns."""


class InvalidDate(ApiError):
    """A date has the form YYYY-MM-DD."""


class InvalidEmail(ApiError):
    """This is no email address."""


class InvalidInputType(ApiError):
    """The value is not of the kind that the column holds."""


class InvalidMessage(ApiError):
    """There is no such message."""


class InvalidMessageLink(ApiError):
    """This is not the address of a message."""

    code = "invalid_link"


class InvalidOptionId(ApiError):
    """The column has no such choice."""


class InvalidPhoneNumber(ApiError):
    """This is no phone number."""


class InvalidPrimaryColumn(ApiError):
    """A list has exactly one primary column, and it is of text."""


class InvalidRowId(ApiError):
    """The list has no such item."""


class InvalidSchema(ApiError):
    """The columns are not described as they must be."""


class InvalidVoteValue(ApiError):
    """Votes are not given through the API."""


class JobNotFound(ApiError):
    """The list has no such export."""


class ListNotFound(ApiError):
    """There is no such list, or the caller may not know of it."""


class MissingArgCopyFromListId(ApiError):
    """Items can be copied from a list only."""


class MissingArguments(ApiError):
    """Nothing was said that should change."""


class OverCellFieldsLimit(ApiError):
    """More values than a cell takes, or more cells than a call takes."""


class OverColumnMaximum(ApiError):
    """A list has at most 30 columns."""


class OverRowMaximum(ApiError):
    """A list has at most 1,000 items."""


class RecordDeleted(ApiError):
    """The item was deleted."""


class RecordNotFound(ApiError):
    """The list has no such item."""


class RowIdNotProvided(ApiError):
    """A cell names its item."""


class UneditableColumn(ApiError):
    """What is in this column Slack writes itself."""


class UnexpectedDescriptionBlocksArg(ApiError):
    """A description is rich text."""
