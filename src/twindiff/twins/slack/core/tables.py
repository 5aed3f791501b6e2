"""The tables of a Slack workspace. Plain tables and columns are those that public suites check."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references


class Team(Row, table="teams", key=("team_id",), unique=(("team_name",),)):
    team_id: Column[str]
    team_name: Column[str]
    created_at: Column[Timestamp | None] = column(default=None)


class User(Row, table="users", key=("user_id",), unique=(("username",), ("email",))):
    user_id: Column[str]
    username: Column[str]
    email: Column[str]
    real_name: Column[str | None] = column(default=None)
    display_name: Column[str | None] = column(default=None)
    timezone: Column[str | None] = column(default=None)
    title: Column[str | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    last_login: Column[Timestamp | None] = column(default=None)
    is_active: Column[bool | None] = column(default=True)
    is_bot: Column[bool | None] = column(default=False)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)


class Channel(Row, table="channels", key=("channel_id",), unique=(("team_id", "channel_name"),)):
    """A conversation of any type: public or private channel, direct message (`is_dm`) or group message (`is_gc`)."""

    channel_id: Column[str]
    channel_name: Column[str]
    team_id: Column[str | None] = references(Team, default=None)
    topic_text: Column[str | None] = column(default=None)
    purpose_text: Column[str | None] = column(default=None)
    is_private: Column[bool] = column(default=False)
    is_dm: Column[bool] = column(default=False)
    is_gc: Column[bool] = column(default=False)
    created_at: Column[Timestamp | None] = column(default=None)
    is_archived: Column[bool] = column(default=False)
    creator_id: Column[str | None] = references(User, default=None, derived=True)
    last_message_at: Column[Timestamp | None] = column(default=None, derived=True)
    topic_creator_id: Column[str | None] = references(User, default=None, derived=True)
    topic_set_at: Column[Timestamp | None] = column(default=None, derived=True)
    purpose_creator_id: Column[str | None] = references(User, default=None, derived=True)
    purpose_set_at: Column[Timestamp | None] = column(default=None, derived=True)
    previous_names: Column[Json | None] = column(default=None, derived=True)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)


class File(
    Row,
    table="files",
    key=("file_id",),
    indexes=(("user_id", "file_id"), ("created_at", "file_id", "user_id"), ("external_id", "file_id")),
):
    """An uploaded file, or a remote file; a `file_url` that begins with a slash is relative to the twin's address.

    A remote file has an `external_id`, and another service stores it at `external_url`.
    """

    file_id: Column[str]
    user_id: Column[str] = references(User)
    file_name: Column[str | None] = column(default=None)
    file_size: Column[int | None] = column(default=None)
    file_type: Column[str | None] = column(default=None)
    file_url: Column[str | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    public_url_shared: Column[bool] = column(default=False)
    """Whether anyone with its public link may read it."""
    title: Column[str | None] = column(default=None, derived=True)
    alt_text: Column[str | None] = column(default=None, derived=True)
    external_id: Column[str | None] = column(default=None)
    external_url: Column[str | None] = column(default=None)


class FilePicture(Row, table="file_pictures", key=("file_id",), visibility="derived"):
    """The facts in a picture's header: size in pixels, EXIF orientation (1 to 8), and whether it is animated."""

    file_id: Column[str]
    original_w: Column[int]
    original_h: Column[int]
    exif_rotation: Column[int] = column(default=1)
    is_animated: Column[bool] = column(default=False)


class FileContent(Row, table="file_contents", key=("file_id",), visibility="bookkeeping"):
    """The content of a file: the digest of its bytes, or its text in templates."""

    file_id: Column[str]
    digest: Column[str | None] = column(default=None)
    text: Column[str | None] = column(default=None)


class DeletedFile(Row, table="deleted_files", key=("file_id",), visibility="bookkeeping"):
    """The id and the owner of a deleted file; Slack has different errors for deleted and unknown files."""

    file_id: Column[str]
    user_id: Column[str]


class UploadTicket(Row, table="upload_tickets", key=("ticket",), unique=(("file_id",),), visibility="bookkeeping"):
    """A requested upload; `digest` is set once the bytes have arrived."""

    ticket: Column[str]
    file_id: Column[str]
    user_id: Column[str]
    file_name: Column[str]
    file_size: Column[int]
    alt_text: Column[str | None] = column(default=None)
    file_type: Column[str | None] = column(default=None)
    digest: Column[str | None] = column(default=None)


class TeamRole(Row, table="team_roles", key=("role_id",)):
    role_id: Column[str]
    team_id: Column[str] = references(Team)
    role_name: Column[str | None] = column(default=None)


class UserSetting(Row, table="user_settings", key=("user_id",)):
    user_id: Column[str] = references(User)
    notification_level: Column[str | None] = column(default=None)


class UserTeam(Row, table="user_teams", key=("user_id", "team_id")):
    """A user's role in the workspace: owner, admin, member or guest."""

    user_id: Column[str] = references(User)
    team_id: Column[str] = references(Team)
    role: Column[str | None] = column(default=None)


class ChannelMember(Row, table="channel_members", key=("channel_id", "user_id"), indexes=(("user_id", "channel_id"),)):
    channel_id: Column[str] = references(Channel)
    user_id: Column[str] = references(User)
    joined_at: Column[Timestamp | None] = column(default=None)


class Message(
    Row,
    table="messages",
    key=("message_id",),
    indexes=(
        ("channel_id", "parent_id", "message_id"),
        ("channel_id", "subtype", "message_id"),
        ("parent_id", "message_id"),
    ),
    words=("message_text",),
):
    """A message, whose key is its `ts`; a reply has the `ts` of the thread's first message as `parent_id`."""

    message_id: Column[str]
    channel_id: Column[str] = references(Channel)
    user_id: Column[str] = references(User)
    parent_id: Column[str | None] = column(default=None)
    message_text: Column[str | None] = column(default=None)
    type: Column[str | None] = column(default=None)
    ts: Column[str | None] = column(default=None)
    blocks: Column[Json | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    edited_at: Column[Timestamp | None] = column(default=None, derived=True)
    subtype: Column[str | None] = column(default=None, derived=True)
    attachments: Column[Json | None] = column(default=None, derived=True)
    metadata: Column[Json | None] = column(default=None, derived=True)
    username: Column[str | None] = column(default=None, derived=True)
    """The name that an app gave the message instead of its own; `icons` likewise."""
    icons: Column[Json | None] = column(default=None, derived=True)
    bot_id: Column[str | None] = column(default=None, derived=True)
    """The bot id of an author that is no bot in the template and wrote the message with a bot's token."""


class TeamSetting(Row, table="team_settings", key=("team_id",)):
    team_id: Column[str] = references(Team)
    default_channel_id: Column[str | None] = references(Channel, default=None)
    allow_file_uploads: Column[bool | None] = column(default=None)


class UserRole(Row, table="user_roles", key=("user_id", "role_id")):
    user_id: Column[str] = references(User)
    role_id: Column[str] = references(TeamRole)
    assigned_at: Column[Timestamp | None] = column(default=None)


class FileMessage(
    Row,
    table="file_messages",
    key=("file_message_id",),
    indexes=(("message_id", "file_message_id"), ("file_id", "message_id")),
):
    file_message_id: Column[str]
    file_id: Column[str] = references(File)
    message_id: Column[str] = references(Message)


class MessageEdit(
    Row, table="message_edits", key=("edit_id",), indexes=(("message_id", "edit_id"),), visibility="derived"
):
    """The text of a message before an edit."""

    edit_id: Column[str]
    message_id: Column[str] = references(Message)
    edited_text: Column[str | None] = column(default=None)
    edited_at: Column[Timestamp | None] = column(default=None)


class MessageReaction(
    Row,
    table="message_reactions",
    key=("message_id", "user_id", "reaction_type"),
    indexes=(
        ("user_id", "message_id"),
        # Reactions are listed in the order in which they were added.
        ("message_id", "created_at", "user_id", "reaction_type"),
    ),
):
    message_id: Column[str] = references(Message)
    user_id: Column[str] = references(User)
    reaction_type: Column[str]
    created_at: Column[Timestamp | None] = column(default=None)


class UserMention(
    Row, table="user_mentions", key=("mention_id",), indexes=(("message_id", "mention_id"),), visibility="derived"
):
    mention_id: Column[str]
    message_id: Column[str] = references(Message)
    user_id: Column[str] = references(User)
    mentioned_at: Column[Timestamp | None] = column(default=None)


class ScheduledMessage(
    Row,
    table="scheduled_messages",
    key=("scheduled_message_id",),
    indexes=(("channel_id", "post_at"),),
):
    """A scheduled message; `post_at` is in seconds since 1970."""

    scheduled_message_id: Column[str]
    channel_id: Column[str] = references(Channel)
    user_id: Column[str] = references(User)
    post_at: Column[int]
    message_text: Column[str | None] = column(default=None)
    blocks: Column[Json | None] = column(default=None)
    parent_id: Column[str | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    attachments: Column[Json | None] = column(default=None)
    metadata: Column[Json | None] = column(default=None)
    reply_broadcast: Column[bool] = column(default=False)


class EphemeralMessage(Row, table="ephemeral_messages", key=("message_id",)):
    """A message that only its recipient saw. Slack does not store those; the twin does for inspection."""

    message_id: Column[str]
    channel_id: Column[str] = references(Channel)
    user_id: Column[str] = references(User)
    recipient_id: Column[str] = references(User)
    message_text: Column[str | None] = column(default=None)
    blocks: Column[Json | None] = column(default=None)
    parent_id: Column[str | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)


class Pin(Row, table="pins", key=("channel_id", "message_id"), indexes=(("message_id",),)):
    channel_id: Column[str] = references(Channel)
    message_id: Column[str] = references(Message)
    user_id: Column[str] = references(User)
    created_at: Column[Timestamp | None] = column(default=None)


class Bookmark(Row, table="bookmarks", key=("bookmark_id",), indexes=(("channel_id", "rank"),)):
    bookmark_id: Column[str]
    channel_id: Column[str] = references(Channel)
    title: Column[str]
    link: Column[str | None] = column(default=None)
    emoji: Column[str | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    rank: Column[int] = column(default=0, derived=True)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)
    updated_by: Column[str | None] = references(User, default=None, derived=True)


class Star(Row, table="stars", key=("user_id", "item_type", "item_id"), indexes=(("item_id", "user_id"),)):
    """An item that a user saved: a message by its `ts`, or a file or channel by its id."""

    user_id: Column[str] = references(User)
    item_type: Column[str]
    item_id: Column[str]
    channel_id: Column[str | None] = references(Channel, default=None)
    created_at: Column[Timestamp | None] = column(default=None)


class Reminder(Row, table="reminders", key=("reminder_id",), indexes=(("user_id", "reminder_id"),)):
    """A reminder; times are in seconds since 1970. A recurring one is never complete.

    `reminded_at` is when its user was last reminded.
    """

    reminder_id: Column[str]
    creator_id: Column[str] = references(User)
    user_id: Column[str] = references(User)
    reminder_text: Column[str]
    remind_at: Column[int]
    recurrence: Column[Json | None] = column(default=None)
    completed_at: Column[int | None] = column(default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    reminded_at: Column[int | None] = column(default=None, derived=True)


class UserGroup(Row, table="usergroups", key=("usergroup_id",)):
    """A group of users that is mentioned by its handle; disabling it sets `is_active` to false."""

    usergroup_id: Column[str]
    team_id: Column[str | None] = references(Team, default=None)
    name: Column[str]
    handle: Column[str]
    description: Column[str | None] = column(default=None)
    channels: Column[Json | None] = column(default=None)
    is_active: Column[bool] = column(default=True)
    creator_id: Column[str | None] = references(User, default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    updated_by: Column[str | None] = references(User, default=None, derived=True)
    updated_at: Column[Timestamp | None] = column(default=None, derived=True)


class UserGroupMember(
    Row, table="usergroup_members", key=("usergroup_id", "user_id"), indexes=(("user_id", "usergroup_id"),)
):
    usergroup_id: Column[str] = references(UserGroup)
    user_id: Column[str] = references(User)


class Canvas(Row, table="canvases", key=("canvas_id",), indexes=(("channel_id",),)):
    """A canvas; members of its channel, if any, may read and write it.

    `editors` are the users who changed it after its creation, the latest last.
    """

    canvas_id: Column[str]
    user_id: Column[str] = references(User)
    title: Column[str | None] = column(default=None)
    markdown: Column[str] = column(default="")
    channel_id: Column[str | None] = references(Channel, default=None)
    created_at: Column[Timestamp | None] = column(default=None)
    edited_at: Column[Timestamp | None] = column(default=None, derived=True)
    editors: Column[Json | None] = column(default=None, derived=True)


class CanvasAccess(Row, table="canvas_access", key=("canvas_id", "entity_id")):
    """Access to a canvas for a user other than the owner, or for all members of a channel."""

    canvas_id: Column[str] = references(Canvas)
    entity_id: Column[str]
    access_level: Column[str]


class View(Row, table="views", key=("view_id",), indexes=(("user_id", "view_type"), ("trigger_id",))):
    """The current content of a modal or a home tab of a user."""

    view_id: Column[str]
    user_id: Column[str] = references(User)
    view_type: Column[str]
    content: Column[Json]
    external_id: Column[str | None] = column(default=None)
    previous_id: Column[str | None] = column(default=None)
    root_id: Column[str | None] = column(default=None, derived=True)
    hash: Column[str] = column(default="", derived=True)
    trigger_id: Column[str | None] = column(default=None, derived=True)


class UserProfile(Row, table="user_profiles", key=("user_id",)):
    """The profile fields, status, presence and snooze of a user who has set any; times are in seconds since 1970."""

    user_id: Column[str] = references(User)
    status_text: Column[str] = column(default="")
    status_emoji: Column[str] = column(default="")
    status_expiration: Column[int] = column(default=0)
    phone: Column[str] = column(default="")
    pronouns: Column[str] = column(default="")
    skype: Column[str] = column(default="")
    start_date: Column[str] = column(default="")
    fields: Column[Json | None] = column(default=None)
    is_away: Column[bool] = column(default=False)
    snoozed_until: Column[int] = column(default=0)


class ProfileField(Row, table="profile_fields", key=("field_id",), visibility="bookkeeping"):
    """A custom field that the workspace adds to all profiles."""

    field_id: Column[str]
    label: Column[str]
    hint: Column[str] = column(default="")
    type: Column[str] = column(default="text")
    ordering: Column[int] = column(default=0)


class ConversationState(Row, table="conversation_states", key=("channel_id", "user_id"), visibility="bookkeeping"):
    """A user's read position in a conversation, and whether the user has closed it."""

    channel_id: Column[str]
    user_id: Column[str]
    last_read: Column[str | None] = column(default=None)
    is_closed: Column[bool] = column(default=False)


class MessageStream(Row, table="message_streams", key=("message_id",), visibility="bookkeeping"):
    """A message that is being streamed; `mode` is `markdown_text` or `chunks`."""

    message_id: Column[str]
    mode: Column[str] = column(default="")


class AssistantThread(Row, table="assistant_threads", key=("channel_id", "thread_ts")):
    """The status, title and suggested prompts that an assistant sets for a thread."""

    channel_id: Column[str]
    thread_ts: Column[str]
    status: Column[str] = column(default="")
    loading_messages: Column[Json] = column(default=[])
    title: Column[str] = column(default="")
    prompts: Column[Json] = column(default=[])
    prompts_title: Column[str] = column(default="")


class AccessToken(Row, table="access_tokens", key=("token",), visibility="bookkeeping"):
    """The rights of a token, or of all tokens if `token` is `*`; the revocation of an unlisted token stores its hash.

    `scopes` are separated by commas, and `user_id` is the user that the token acts as. With `limits_rates`, the rate
    limit
    of its tier applies to each method.
    """

    token: Column[str]
    scopes: Column[str | None] = column(default=None)
    is_revoked: Column[bool] = column(default=False)
    limits_rates: Column[bool] = column(default=False)
    user_id: Column[str | None] = column(default=None)


class OauthCode(Row, table="oauth_codes", key=("code",), visibility="bookkeeping"):
    """A code that an app may exchange once for tokens."""

    code: Column[str]
    client_id: Column[str]
    client_secret: Column[str]
    user_id: Column[str]
    bot_user_id: Column[str | None] = column(default=None)
    redirect_uri: Column[str | None] = column(default=None)
    scopes: Column[str] = column(default="")
    user_scopes: Column[str] = column(default="")
    app_id: Column[str] = column(default="")
    is_used: Column[bool] = column(default=False)
    challenge: Column[str | None] = column(default=None)
    """The PKCE challenge that the code's verifier must match."""


TABLES = (
    Team,
    User,
    Channel,
    File,
    TeamRole,
    UserSetting,
    UserTeam,
    ChannelMember,
    Message,
    TeamSetting,
    UserRole,
    FileMessage,
    MessageEdit,
    MessageReaction,
    UserMention,
    ScheduledMessage,
    DeletedFile,
    FileContent,
    FilePicture,
    UploadTicket,
    EphemeralMessage,
    Pin,
    Bookmark,
    Star,
    Reminder,
    UserGroup,
    UserGroupMember,
    Canvas,
    CanvasAccess,
    View,
    UserProfile,
    ProfileField,
    ConversationState,
    MessageStream,
    AssistantThread,
    AccessToken,
    OauthCode,
)
