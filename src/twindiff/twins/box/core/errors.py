"""Box's error codes.

https://developer.box.com/guides/api-calls/permissions-and-errors/common-errors
"""

from __future__ import annotations

from typing import Any

from twindiff.twins.box.wire_style import BoxError, MetadataError, errors_of


class NotFound(BoxError):
    """Not Found"""

    status = 404

    @classmethod
    def of(cls, name: str, value: str) -> NotFound:
        """Build the error for an object that does not exist or that the caller may not see."""
        said = f"Invalid value '{value}'. '{name}' with value '{value}' not found"
        return cls(context_info=errors_of("invalid_parameter", name, said))


class NotTrashed(BoxError):
    """Item is not trashed"""

    status = 404


class Trashed(BoxError):
    """Item is trashed"""

    status = 404

    @classmethod
    def of(cls, value: str) -> Trashed:
        """Build the error for an item that is in the trash, by itself or with a folder."""
        return cls(context_info=errors_of("trashed", "item", f"Item '{value}' is trashed"))


class Forbidden(BoxError):
    """Forbidden"""

    status = 403


class ForbiddenByPolicy(BoxError):
    """An information barrier forbids these users to work together"""

    status = 403


class MethodNotAllowed(BoxError):
    """Method Not Allowed"""

    status = 405


class AccessDeniedInsufficientPermissions(BoxError):
    """Access denied - insufficient permission"""

    status = 403


class AccessDeniedItemLocked(BoxError):
    """Access denied - item locked"""

    status = 403


class StorageLimitExceeded(BoxError):
    """Account storage limit reached"""

    status = 403


class FileSizeLimitExceeded(BoxError):
    """The file size exceeds the user's upload limit"""

    status = 413


class InsufficientScope(BoxError):
    """The request requires higher privileges than provided by the access token."""

    status = 403


class PreconditionFailed(BoxError):
    """The resource has been modified. Please retrieve the resource again and retry"""

    status = 412


class ItemNameInvalid(BoxError):
    """Item name invalid"""


class ItemNameTooLong(BoxError):
    """Item name too long"""


class FolderNotEmpty(BoxError):
    """Cannot delete - folder not empty"""


class CyclicalFolderStructure(BoxError):
    """Folder move creates cyclical folder structure"""


class ItemNameInUse(BoxError):
    """Item with the same name already exists"""

    status = 409

    @classmethod
    def of(cls, conflicts: Any) -> ItemNameInUse:
        """Build the error for a name in use. `conflicts` is one object for uploads and a list for folders."""
        return cls(context_info={"conflicts": conflicts})


class Conflict(BoxError):
    """Conflict"""

    status = 409


class CollaborationsNotAvailableOnRootFolder(BoxError):
    """Root folder cannot be collaborated"""


class InvalidStatus(BoxError):
    """You can change the status only if the collaboration is pending"""


class TaskAssigneeNotAllowed(BoxError):
    """Assigner does not have sufficient privileges to assign task to assignee"""


class UserAlreadyCollaborator(BoxError):
    """User is already a collaborator"""


class UserLoginAlreadyUsed(BoxError):
    """User with the specified login already exists"""

    status = 409


class UserHasContent(BoxError):
    """The user owns content; delete it with force=true or transfer it first"""

    status = 409


class WhitelistEntryExists(BoxError):
    """There is an entry for this domain or user already"""

    status = 409
    code = "conflict"


class PolicyNameInUse(BoxError):
    """There is a policy of this name already"""

    status = 409
    code = "conflict"


class RetentionAlreadyAssigned(BoxError):
    """A retention policy of equal or greater length is assigned to this already"""

    status = 409
    code = "conflict"


class StorageAlreadyAssigned(BoxError):
    """A storage policy is assigned to this already; change that assignment"""

    status = 409
    code = "conflict"


class UserInEnterprise(BoxError):
    """The user is in the enterprise already"""

    status = 409
    code = "conflict"


class TermsOfServiceRequired(BoxError):
    """User must accept custom terms of service before action can be taken"""


class TermsOfServiceExists(BoxError):
    """There are terms of service of this type already"""

    status = 409
    code = "conflict"


class BadDigest(BoxError):
    """The specified content-md5 did not match what we received"""


class DigestMismatch(BoxError):
    """File digest was incorrect."""

    @classmethod
    def of(cls, actual: str, expected: str) -> DigestMismatch:
        """Build the error of an upload session for a SHA-1 digest, both in base64."""
        return cls(f"File digest was incorrect. Actual: {actual} Expected: {expected}")


class SessionRefused(BoxError):
    """An upload session that cannot be created: https://developer.box.com/reference/post-files-upload-sessions"""

    @classmethod
    def of(cls, name: str, message: str) -> SessionRefused:
        """Build the error for a parameter; its reason is the error's own code."""
        return cls(message, context_info=errors_of(cls.code, name, message))


class MissingDestination(SessionRefused):
    """No `folder_id` was provided"""


class InvalidFolderId(SessionRefused):
    """`folder_id` is not valid"""


class MissingFileName(SessionRefused):
    """`file_name` was not provided"""


class MissingFileSize(SessionRefused):
    """`file_size` was not provided"""


class InvalidFileSize(SessionRefused):
    """`file_size` is not a valid number"""


class FileSizeTooSmall(SessionRefused):
    """`file_size` is below the minimum for upload sessions"""


class IncorrectSharedItemPassword(BoxError):
    """The shared item's password is missing or wrong"""

    status = 403


class RangeOverlapsExistingRange(BoxError):
    """This part overlaps another one that was uploaded before"""

    status = 409


class InvalidPartRange(BoxError):
    """The content range does not match a part of this session"""

    status = 416

    code = "range_not_satisfiable"


class IncompleteParts(BoxError):
    """Parts of the file are missing, or their order is wrong"""

    code = "parts_mismatch"


class RequestedPreviewUnavailable(BoxError):
    """The requested preview is unavailable"""


class PreviewCannotBeGenerated(BoxError):
    """A preview of this file cannot be made"""

    status = 404


class InstanceNotFound(MetadataError):
    """The metadata template was not applied to the item."""

    status = 404


class InstanceTupleNotFound(MetadataError):
    """The metadata template was not found."""

    status = 404


class TaxonomyNotFound(MetadataError):
    """The taxonomy, or what is asked for in it, was not found."""

    status = 404
    code = "not_found"


class TupleAlreadyExists(MetadataError):
    """An instance of the metadata template is already present on the item."""

    status = 409


class SchemaValidationFailed(MetadataError):
    """The request does not fit the metadata template."""


class TemplateAlreadyExists(MetadataError):
    """A metadata template with this key is there already."""

    status = 409


class MetadataBadRequest(MetadataError):
    """The request is not a valid one of the metadata service."""

    code = "bad_request"


class InvalidQuery(MetadataError):
    """The metadata query is not valid."""


class UnexpectedJsonType(MetadataError):
    """A query has an argument that query_params does not have."""
