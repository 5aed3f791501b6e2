"""Rate limits of methods per minute, for workspaces that have them.

https://docs.slack.dev/apis/web-api/rate-limits
"""

from __future__ import annotations

_A_MINUTE = {1: 1, 2: 20, 3: 50, 4: 100}
"""Calls per minute by tier; Slack guarantees at least these."""

_TIERS = {
    1: "apps.connections.open",
    2: """
        bookmarks.add bookmarks.edit bookmarks.remove canvases.create conversations.archive
        conversations.canvases.create conversations.close conversations.create conversations.list
        conversations.rename conversations.setPurpose conversations.setTopic conversations.unarchive
        dnd.endSnooze dnd.setSnooze dnd.teamInfo emoji.list files.remote.add files.remote.info files.remote.list
        files.remote.remove files.remote.share files.remote.update pins.add pins.list pins.remove reactions.list
        reactions.remove reminders.add reminders.complete reminders.delete reminders.info reminders.list
        search.all search.files search.messages slackLists.create
        slackLists.download.start slackLists.items.delete slackLists.items.deleteMultiple slackLists.items.info
        slackLists.items.list slackLists.update stars.add stars.remove team.accessLogs team.billableInfo
        team.integrationLogs team.preferences.list usergroups.create usergroups.disable
        usergroups.enable usergroups.list usergroups.update usergroups.users.list usergroups.users.update
        users.conversations users.list users.setPresence
    """,
    4: """
        api.test chat.postEphemeral conversations.members files.completeUploadExternal files.getUploadURLExternal
        files.info oauth.v2.access slackLists.download.get users.info users.profile.get
        views.open views.publish views.push views.update
    """,
}
"""The methods by tier; all others are in tier 3."""

_OF_THEIR_OWN = {"auth.test": 600, "chat.getPermalink": 600, "chat.postMessage": 60}
"""Methods outside of the tiers: Slack allows hundreds of the first two, and one message per second and channel."""

_MAX_CALLS_PER_MINUTE = {
    **{method: _A_MINUTE[tier] for tier, methods in _TIERS.items() for method in methods.split()},
    **_OF_THEIR_OWN,
}


def most_a_minute(method: str) -> int:
    """Return how many calls of a method per minute a token may make."""
    return _MAX_CALLS_PER_MINUTE.get(method, _A_MINUTE[3])
