"""User settings.  https://linear.app/docs/account-preferences"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Entity, Enum, Input, One, Value, column, computed_field, hidden_column

from .enums import FeedSummarySchedule


class NotificationChannelPreferences(Value):
    desktop: bool
    email: bool
    mobile: bool
    slack: bool


class NotificationCategoryPreferences(Value):
    appsAndIntegrations: NotificationChannelPreferences
    assignments: NotificationChannelPreferences
    billing: NotificationChannelPreferences
    commentsAndReplies: NotificationChannelPreferences
    customers: NotificationChannelPreferences
    documentChanges: NotificationChannelPreferences
    feed: NotificationChannelPreferences
    mentions: NotificationChannelPreferences
    postsAndUpdates: NotificationChannelPreferences
    reactions: NotificationChannelPreferences
    reminders: NotificationChannelPreferences
    reviews: NotificationChannelPreferences
    statusChanges: NotificationChannelPreferences
    subscriptions: NotificationChannelPreferences
    system: NotificationChannelPreferences
    triage: NotificationChannelPreferences


class NotificationDeliveryPreferencesDay(Value):
    end: str | None
    start: str | None


class NotificationDeliveryPreferencesSchedule(Value):
    disabled: bool | None
    friday: NotificationDeliveryPreferencesDay
    monday: NotificationDeliveryPreferencesDay
    saturday: NotificationDeliveryPreferencesDay
    sunday: NotificationDeliveryPreferencesDay
    thursday: NotificationDeliveryPreferencesDay
    tuesday: NotificationDeliveryPreferencesDay
    wednesday: NotificationDeliveryPreferencesDay


class NotificationDeliveryPreferencesChannel(Value):
    notificationsDisabled: bool | None
    schedule: NotificationDeliveryPreferencesSchedule | None


class NotificationDeliveryPreferences(Value):
    mobile: NotificationDeliveryPreferencesChannel | None


class UserSettingsCustomSidebarTheme(Value):
    accent: list[float]
    base: list[float]
    contrast: int


class UserSettingsCustomTheme(Value):
    accent: list[float]
    base: list[float]
    contrast: int
    sidebar: UserSettingsCustomSidebarTheme | None


class UserSettingsThemePreset(Enum):
    values = "classicDark custom dark light magicBlue pureLight system"


class UserSettingsThemeDeviceType(Enum):
    values = "desktop mobileWeb"


class UserSettingsThemeMode(Enum):
    values = "dark light"


class UserSettingsTheme(Value):
    custom: UserSettingsCustomTheme | None
    preset: UserSettingsThemePreset


class UserSettings(Entity, table="user_settings"):
    autoAssignToSelf: bool = column(default=False)
    calendarHash: str | None
    feedLastSeenTime: datetime | None
    feedSummarySchedule: FeedSummarySchedule | None
    notificationCategoryPreferences: NotificationCategoryPreferences = column(default={})
    notificationChannelPreferences: NotificationChannelPreferences = column(default={})
    notificationDeliveryPreferences: NotificationDeliveryPreferences = column(default={})
    showFullUserNames: bool = column(default=False)
    subscribedToChangelog: bool = column(default=False)
    subscribedToDPA: bool = column(default=False)
    subscribedToInviteAccepted: bool = column(default=False)
    subscribedToPrivacyLegalUpdates: bool = column(default=False)
    unsubscribedFrom: list[str] = column(default=[])
    user: One[User]
    theme: UserSettingsTheme | None = computed_field(
        deviceType="UserSettingsThemeDeviceType", mode="UserSettingsThemeMode"
    )
    settings: JSONObject | None = hidden_column()
    subscribedToGeneralMarketingCommunications: bool | None = hidden_column()
    usageWarningHistory: JSONObject | None = hidden_column()

    update = (
        "feedLastSeenTime feedSummarySchedule "
        "notificationCategoryPreferences:NotificationCategoryPreferencesInput "
        "notificationChannelPreferences:PartialNotificationChannelPreferencesInput "
        "notificationDeliveryPreferences:NotificationDeliveryPreferencesInput settings:JSONObject "
        "subscribedToChangelog subscribedToDPA subscribedToGeneralMarketingCommunications:Boolean "
        "subscribedToInviteAccepted subscribedToPrivacyLegalUpdates usageWarningHistory:JSONObject"
    )
    roots = "update"


class PartialNotificationChannelPreferencesInput(Input):
    desktop: bool | None
    email: bool | None
    mobile: bool | None
    slack: bool | None


class NotificationCategoryPreferencesInput(Input):
    appsAndIntegrations: PartialNotificationChannelPreferencesInput | None
    assignments: PartialNotificationChannelPreferencesInput | None
    billing: PartialNotificationChannelPreferencesInput | None
    commentsAndReplies: PartialNotificationChannelPreferencesInput | None
    customers: PartialNotificationChannelPreferencesInput | None
    documentChanges: PartialNotificationChannelPreferencesInput | None
    feed: PartialNotificationChannelPreferencesInput | None
    mentions: PartialNotificationChannelPreferencesInput | None
    postsAndUpdates: PartialNotificationChannelPreferencesInput | None
    reactions: PartialNotificationChannelPreferencesInput | None
    reminders: PartialNotificationChannelPreferencesInput | None
    reviews: PartialNotificationChannelPreferencesInput | None
    statusChanges: PartialNotificationChannelPreferencesInput | None
    subscriptions: PartialNotificationChannelPreferencesInput | None
    triage: PartialNotificationChannelPreferencesInput | None


class NotificationDeliveryPreferencesDayInput(Input):
    end: str | None
    start: str | None


class NotificationDeliveryPreferencesScheduleInput(Input):
    disabled: bool | None
    friday: NotificationDeliveryPreferencesDayInput
    monday: NotificationDeliveryPreferencesDayInput
    saturday: NotificationDeliveryPreferencesDayInput
    sunday: NotificationDeliveryPreferencesDayInput
    thursday: NotificationDeliveryPreferencesDayInput
    tuesday: NotificationDeliveryPreferencesDayInput
    wednesday: NotificationDeliveryPreferencesDayInput


class NotificationDeliveryPreferencesChannelInput(Input):
    schedule: NotificationDeliveryPreferencesScheduleInput | None


class NotificationDeliveryPreferencesInput(Input):
    mobile: NotificationDeliveryPreferencesChannelInput | None
