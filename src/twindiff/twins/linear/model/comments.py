"""Comments, reactions and emojis.  https://linear.app/docs/comment-on-issues"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import (
    Entity,
    Many,
    One,
    column,
    computed_field,
    derived_field,
    hidden_column,
    inverse,
    one_with_key,
)

from .values import ActorBot, ExternalEntityInfo, SyncedExternalThread


class Comment(Entity):
    body: str = column(default="")
    bodyData: str = derived_field(default="")
    editedAt: datetime | None = derived_field()
    hideInLinear: bool = column(default=False)
    isArtificialAgentSessionRoot: bool = column(default=False)
    quotedText: str | None
    reactionData: JSONObject = derived_field(default={})
    resolvedAt: datetime | None
    threadSummary: JSONObject | None
    url: str = derived_field(default="")
    agentSession: One[AgentSession] | None
    documentContent: One[DocumentContent] | None = one_with_key()
    externalUser: One[ExternalUser] | None
    initiative: One[Initiative] | None = one_with_key()
    initiativeUpdate: One[InitiativeUpdate] | None = one_with_key()
    issue: One[Issue] | None = one_with_key()
    onBehalfOf: One[User] | None
    parent: One[Comment] | None = one_with_key()
    post: One[Post] | None
    project: One[Project] | None = one_with_key()
    projectUpdate: One[ProjectUpdate] | None = one_with_key()
    resolvingComment: One[Comment] | None = one_with_key()
    resolvingUser: One[User] | None
    user: One[User] | None
    agentSessions: Many[AgentSession] = inverse("comment")
    aiPromptProgresses: Many[AiPromptProgress]
    children: Many[Comment] = inverse("parent")
    createdIssues: Many[Issue] = inverse("sourceComment")
    reactions: list[Reaction] = inverse("comment")
    spawnedAgentSessions: Many[AgentSession] = inverse("sourceComment")
    botActor: ActorBot | None = computed_field()
    externalThread: SyncedExternalThread | None = computed_field()
    syncedWith: list[ExternalEntityInfo] | None = computed_field()
    document: One[Document] | None = hidden_column()

    filters = (
        "body documentContent initiative initiativeUpdate issue needs:CustomerNeedCollectionFilter parent project "
        "projectUpdate reactions user~"
    )
    filter_variants = "nullable collection"
    create = (
        "body bodyData:JSON createAsUser:String createOnSyncedSlackThread:Boolean createdAt displayIconUrl:String "
        "doNotSubscribeToIssue:Boolean documentContent id initiative initiativeUpdate issue parent post project "
        "projectUpdate quotedText subscriberIds:[String!]"
    )
    update = (
        "body bodyData:JSON doNotSubscribeToIssue:Boolean quotedText resolvingComment resolvingUser "
        "subscriberIds:[String!]"
    )
    roots = "list get(hash:String,id:String) create update(skipEditedAt:Boolean) delete"


class Reaction(Entity):
    emoji: str
    comment: One[Comment] | None
    externalUser: One[ExternalUser] | None
    initiativeUpdate: One[InitiativeUpdate] | None
    issue: One[Issue] | None
    projectUpdate: One[ProjectUpdate] | None
    user: One[User] | None
    post: One[Post] | None = computed_field()

    filters = "customEmojiId:IDComparator emoji"
    filter_variants = "collection"
    create = (
        "comment emoji! id initiativeUpdate issue post projectUpdate pullRequestCommentId:String pullRequestId:String"
    )
    roots = "create delete"
    deletes = "hard"


class Emoji(Entity):
    name: str
    source: str = column(default="")
    url: str
    creator: One[User] | None
    organization: One[Organization]

    filters = "name"
    create = "id name! url!"
    sort = "createdAt:EmojiCreatedAtSort name:EmojiNameSort"
    roots = "list get create delete"
    deletes = "hard"
