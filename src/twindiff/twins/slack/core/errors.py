"""Slack's error codes, one class each: the class name gives the code, the docstring its message.

https://docs.slack.dev/apis/web-api/using-the-web-api#errors
"""

from __future__ import annotations

from twindiff.kit import ApiError

# In alphabetical order.


class AccessDenied(ApiError):
    """The upload is somebody else's."""


class AlreadyArchived(ApiError):
    """The channel is archived already."""


class AlreadyDisabled(ApiError):
    """The user group is disabled already."""


class AlreadyEnabled(ApiError):
    """The user group is enabled already."""


class AlreadyInChannel(ApiError):
    """The user is a member of the channel already."""


class AlreadyPinned(ApiError):
    """The message is pinned already."""


class AlreadyReacted(ApiError):
    """The caller has put this emoji on the message before, under this name or another of it."""


class AlreadyStarred(ApiError):
    """The item is saved already."""


class AltTxtTooLarge(ApiError):
    """The description of an image has at most 1,000 characters."""


class BadHandle(ApiError):
    """A handle has letters, digits, `.`, `-` and `_`, and at least one of them."""


class BadTimestamp(ApiError):
    """The timestamp is not one that a message could have."""


class BadTitle(ApiError):
    """The title has more than 255 characters."""


class BotNotFound(ApiError):
    """There is no such bot."""


class CannotAddBot(ApiError):
    """Bots cannot be reminded."""


class CannotAddOthers(ApiError):
    """Nobody can be reminded by others of what comes again and again."""


class CannotCompleteOthers(ApiError):
    """Only the one who is reminded may complete a reminder."""


class CannotCompleteRecurring(ApiError):
    """A reminder that comes again and again is never complete."""


class CannotDmBot(ApiError):
    """Two bots have no direct message."""


class CannotFindChannel(ApiError):
    """There is no such channel for the caller."""


class CannotFindMessage(ApiError):
    """The channel has no such message."""


class CannotParse(ApiError):
    """The time of a reminder could not be understood."""


class CannotUnfurlUrl(ApiError):
    """The message does not hold this address."""


class CantArchiveGeneral(ApiError):
    """The channel that everyone is in cannot be archived."""


class CantBroadcastMessage(ApiError):
    """Only a reply in a thread can be shown in its channel too."""


class CantDeleteFile(ApiError):
    """Only its owner may delete a file."""


class CantDeleteMessage(ApiError):
    """Only its author may delete a message."""


class CantInvite(ApiError):
    """This user cannot be invited: the account is deactivated."""


class CantInviteSelf(ApiError):
    """Nobody can invite themselves; join instead."""


class CantKickFromGeneral(ApiError):
    """Nobody can be removed from the channel that everyone is in."""


class CantKickSelf(ApiError):
    """Nobody can remove themselves; leave instead."""


class CantLeaveGeneral(ApiError):
    """Nobody can leave the channel that everyone is in."""


class CantUpdateMessage(ApiError):
    """Only its author may edit a message."""


class ChannelNotFound(ApiError):
    """There is no such conversation, or the caller may not know of it."""


class DescriptionTooLong(ApiError):
    """The description of the user group is too long."""


class EmailTaken(ApiError):
    """Somebody else has this email address."""


class FileCommentNotFound(ApiError):
    """There is no such file comment."""


class FileDeleted(ApiError):
    """The file has been deleted."""


class FileNotFound(ApiError):
    """There is no such file."""


class FileUploadsDisabled(ApiError):
    """The workspace takes no files."""


class HandleAlreadyExists(ApiError):
    """Somebody or something else is mentioned by this handle."""


class InvalidArguments(ApiError):
    """What was sent is not as it should be."""


class InvalidAttachments(ApiError):
    """The attachments are not a list of objects."""


class InvalidBlocks(ApiError):
    """A block breaks the rules of its type; the messages say where."""


class InvalidBlocksFormat(ApiError):
    """The blocks are not a list of objects."""


class InvalidBookmarkType(ApiError):
    """Only links can be bookmarked."""


class InvalidChannel(ApiError):
    """The channel could not be found."""


class InvalidChannelProvided(ApiError):
    """One of the channels does not exist, or cannot be a user group's."""


class InvalidCursor(ApiError):
    """The cursor is not one that this method gave."""


class InvalidEmoji(ApiError):
    """The text is not the name of an emoji."""


class InvalidExternalId(ApiError):
    """The external id has more than 255 characters."""


class InvalidLimit(ApiError):
    """The limit is not a number of items that this method can return."""


class InvalidLink(ApiError):
    """A link begins with http:// or https://."""


class InvalidMetadataFormat(ApiError):
    """The metadata is not a JSON object."""


class InvalidMetadataSchema(ApiError):
    """Metadata has an event_type, a text, and an event_payload, an object."""


class InvalidName(ApiError):
    """There is no emoji of that name."""


class InvalidNameMaxlength(ApiError):
    """The name is longer than 80 characters."""


class InvalidNamePunctuation(ApiError):
    """The name has neither a letter nor a digit."""


class InvalidNameRequired(ApiError):
    """The name is empty."""


class InvalidNameSpecials(ApiError):
    """The name has upper-case letters, or characters other than letters, digits, hyphens and underscores."""


class InvalidPresence(ApiError):
    """Presence is auto or away."""


class InvalidProfile(ApiError):
    """The profile is not an object of known fields."""


class InvalidScheduledMessageId(ApiError):
    """The caller has no such message waiting in this channel."""


class InvalidThreadTs(ApiError):
    """The thread_ts is not one that a message could have."""


class InvalidTime(ApiError):
    """The time to post at is not a number of seconds since 1970."""


class InvalidTimestamp(ApiError):
    """The timestamp is not one that a message could have."""


class InvalidTitle(ApiError):
    """The title is empty, or has more than 255 characters."""


class InvalidTsLatest(ApiError):
    """The end of the time range is not a timestamp."""


class InvalidTsOldest(ApiError):
    """The beginning of the time range is not a timestamp."""


class InvalidTypes(ApiError):
    """One of the types is no type of conversation."""


class InvalidUnfurlsFormat(ApiError):
    """The unfurls are no map of addresses to attachments."""


class InvalidUsers(ApiError):
    """One of these is not a person here."""


class IsArchived(ApiError):
    """The channel has been archived."""


class IsInactive(ApiError):
    """The message stands in an archived channel."""


class LastMember(ApiError):
    """The last member of a private channel cannot leave it."""


class MarkdownTextConflict(ApiError):
    """markdown_text stands alone: text and blocks cannot be sent beside it."""


class MessageNotFound(ApiError):
    """The channel has no message with this timestamp."""


class MetadataTooLarge(ApiError):
    """The metadata's payload is larger than a message may carry."""


class MethodNotSupportedForChannelType(ApiError):
    """This method does not work on conversations of this type."""


class MissingArgument(ApiError):
    """A file must have at least one byte, and a call's participants somebody."""


class MissingChannel(ApiError):
    """The request has no channel."""


class MissingDuration(ApiError):
    """A number of minutes is needed."""


class MissingSubteamName(ApiError):
    """A user group needs a name."""


class MissingTs(ApiError):
    """The request has no timestamp of a message."""


class MissingUnfurls(ApiError):
    """There is nothing to show for the addresses."""


class MsgBlocksTooLong(ApiError):
    """The blocks of the message are too long together."""


class MsgTooLong(ApiError):
    """The text is longer than a message may be."""


class MustClearBothStatusTextAndStatusEmoji(ApiError):
    """A status is cleared by an empty text and an empty emoji together."""


class NameAlreadyExists(ApiError):
    """Another user group has this name."""


class NameTaken(ApiError):
    """A channel of that name exists, perhaps an archived one."""


class NameTooLong(ApiError):
    """The name of a user group has at most 80 characters."""


class NoItemSpecified(ApiError):
    """Neither a message, by channel and timestamp, nor a file was named."""


class NoPin(ApiError):
    """The message is not pinned."""


class NoQuery(ApiError):
    """There is nothing to search for."""


class NoReaction(ApiError):
    """The caller has not put this emoji on the message."""


class NoSuchItem(ApiError):
    """There is no such reminder or view."""

    code = "not_found"


class NoSuchSubteam(ApiError):
    """There is no such user group."""


class NoText(ApiError):
    """There is neither text nor blocks nor attachments."""


class NoUser(ApiError):
    """Nobody was named to invite."""


class NoUsersProvided(ApiError):
    """A user group cannot be emptied; disable it instead."""


class NotAdmin(ApiError):
    """Only administrators may change the profile of others."""


class NotAllowed(ApiError):
    """Only its owner may publish a file."""


class NotArchived(ApiError):
    """The channel is not archived."""


class NotAuthorized(ApiError):
    """The caller may not rename this channel."""


class NotInChannel(ApiError):
    """The caller is not a member of the channel."""


class NotStarred(ApiError):
    """The item is not saved."""


class OverTitleLengthMaximum(ApiError):
    """The name of a list has at most 255 characters."""


class PermissionDenied(ApiError):
    """The caller may not do this here."""


class PostingToChannelDenied(ApiError):
    """The caller may not post to this channel."""


class ProfileStatusSetFailedNotEmojiSyntax(ApiError):
    """The emoji of a status is not a name between colons."""


class ProfileStatusSetFailedNotValidEmoji(ApiError):
    """The emoji of a status must be one that the workspace has."""


class RestrictedAction(ApiError):
    """Guests may not do this."""


class RestrictedTooMany(ApiError):
    """Too many messages are scheduled for this channel around that time."""


class SnippetTooLarge(ApiError):
    """A snippet has at most one megabyte."""


class SnoozeNotActive(ApiError):
    """The caller does not snooze."""


class TeamNotFound(ApiError):
    """There is no such workspace here."""


class ThreadNotFound(ApiError):
    """The channel has no message with this thread_ts."""


class TimeInPast(ApiError):
    """The time to post at has passed."""


class TimeTooFar(ApiError):
    """The time to post at is more than 120 days away."""


class TooLong(ApiError):
    """The topic is longer than 250 characters."""


class TooManyAttachments(ApiError):
    """A message carries at most 100 attachments."""


class TooManyBookmarks(ApiError):
    """A channel has at most 100 bookmarks."""


class TooManyEmoji(ApiError):
    """The message carries as many different emoji as it may."""


class TooManyReactions(ApiError):
    """The caller has put as many emoji on the message as one person may."""


class TooManyUsers(ApiError):
    """More users were named than this method takes."""


class UnknownSnippetType(ApiError):
    """The type is not one that a snippet can be of."""


class UnknownType(ApiError):
    """There is no such kind of file."""


class UserDisabled(ApiError):
    """The account of this user is deactivated."""


class UserIsRestricted(ApiError):
    """Guests cannot call this method."""


class UserNotFound(ApiError):
    """There is no such user."""


class UserNotInChannel(ApiError):
    """The person is not in the channel."""


class UsersListNotSupplied(ApiError):
    """Neither users nor a direct message were named."""


class UsersNotFound(ApiError):
    """No active user has this email address."""
