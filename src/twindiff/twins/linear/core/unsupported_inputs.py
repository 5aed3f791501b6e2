"""Input fields whose values the twin cannot store. They are refused, so that no data is dropped silently.

https://linear.app/developers/oauth-actor-authorization · https://linear.app/developers/graphql
"""

from __future__ import annotations

from twindiff.kit.graphql import Section

from ..model.attachments import Attachment, EntityExternalLink
from ..model.comments import Comment, Reaction
from ..model.customers import CustomerNeed
from ..model.documents import Document
from ..model.issues import Issue
from ..model.notifications import Notification

api = Section()

ONLY_APPS = "only an application that acts as an app says so, and there are none here."
for _entity in (Attachment, Comment, CustomerNeed, Issue):
    api.refuse(_entity, "createAsUser displayIconUrl", ONLY_APPS)
api.refuse(Comment, "createOnSyncedSlackThread", "no thread here is synced with Slack.")
api.refuse(Comment, "subscriberIds", "people subscribe to the issue; threads have no subscribers here.")
api.refuse(Issue, "referenceCommentId", "issues do not quote comments here.")
api.refuse(Issue, "sourcePullRequestCommentId", "there are no pull requests here.")
api.refuse(Reaction, "pullRequestId pullRequestCommentId", "there are no pull requests here.")
api.refuse(Notification, "initiativeUpdateId projectUpdateId", "a notification stays about what it was made for.")
for _entity in (Document, EntityExternalLink):
    api.refuse(_entity, "resourceFolderId", "there are no folders of resources here.")
