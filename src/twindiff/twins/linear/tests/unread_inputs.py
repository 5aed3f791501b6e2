"""What inputs take and no answer to them shows."""

from __future__ import annotations

HIDDEN = "it is kept in a column that no answer shows"
ORDER = "it says how to do the operation"
UNREAD = {
    "attachmentCreate.iconUrl": HIDDEN,
    "attachmentUpdate.iconUrl": HIDDEN,
    "commentCreate.doNotSubscribeToIssue": ORDER,
    "commentUpdate.doNotSubscribeToIssue": ORDER,
    "customViewCreate.initiativeId": HIDDEN,
    "customViewCreate.projectId": HIDDEN,
    "customViewUpdate.initiativeId": HIDDEN,
    "customViewUpdate.projectId": HIDDEN,
    "customerNeedUpdate.applyPriorityToRelatedNeeds": ORDER,
    "entityExternalLinkCreate.cycleId": "the cycle's links show it",
    "entityExternalLinkCreate.releaseId": "the release's links show it",
    "entityExternalLinkCreate.teamId": HIDDEN,
    "integrationsSettingsCreate.customViewId": HIDDEN,
    "issueCreate.preserveSortOrderOnCreate": ORDER,
    "issueCreate.useDefaultTemplate": ORDER,
    "issueUpdate.autoClosedByParentClosing": HIDDEN,
    "organizationInviteCreate.teamIds": "it is kept in a table that no answer shows",
    "organizationInviteUpdate.teamIds": "it is kept in a table that no answer shows",
    "organizationUpdate.oauthAppReview": HIDDEN,
    "organizationUpdate.reducedPersonalInformation": HIDDEN,
    "organizationUpdate.slaEnabled": HIDDEN,
    "projectCreate.useDefaultTemplate": ORDER,
    "teamCreate.inheritProductIntelligenceScope": HIDDEN,
    "teamCreate.issueSharingEnabled": HIDDEN,
    "teamCreate.productIntelligenceScope": HIDDEN,
    "teamUpdate.cycleEnabledStartDate": ORDER,
    "teamUpdate.handleSubTeamsOnRetirement": ORDER,
    "teamUpdate.inheritProductIntelligenceScope": HIDDEN,
    "teamUpdate.issueSharingEnabled": HIDDEN,
    "teamUpdate.productIntelligenceScope": HIDDEN,
    "userSettingsUpdate.settings": HIDDEN,
    "userSettingsUpdate.subscribedToGeneralMarketingCommunications": HIDDEN,
    "userSettingsUpdate.usageWarningHistory": HIDDEN,
}
"""What is accepted and cannot be read back from the answer, with the reason."""
