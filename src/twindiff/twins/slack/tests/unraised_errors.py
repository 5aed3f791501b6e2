"""Errors of Slack's published description that the twin does not answer with, each with the reason."""

from __future__ import annotations

NEVER_RAISED = {
    **dict.fromkeys(
        ("invalid_charset", "invalid_arg_name", "invalid_array_arg"),
        "the twin reads what it can read",
    ),
    **dict.fromkeys(("request_timeout", "fatal_error"), "faults are injected on purpose only"),
    **dict.fromkeys(
        ("upgrade_required", "upgrade_require", "team_added_to_org", "org_login_required", "ekm_access_denied"),
        "there are neither plans nor organizations",
    ),
    "no_permission": "tokens without a scope are told `missing_scope`",
    "user_is_bot": "bots may do what their scopes say",
    "user_is_ultra_restricted": "guests are told `user_is_restricted`",
    "user_not_visible": "everybody sees everybody",
    "invalid_post_typ": "is misspelt in the description",
    "request_timeou": "is misspelt in the description",
    "not_supported": "was for channels of organizations",
    "compliance_exports_prevent_deletion": "there are no exports",
    "bad_token": "tokens are told `invalid_auth`",
    **dict.fromkeys(
        (f"restricted_action_{name}_channel" for name in ("read_only", "non_threadable", "thread_only")),
        "there are no posting rules of channels",
    ),
    **dict.fromkeys(("account_inactiv", "missing_post_typ"), "are misspelt in the description"),
    **dict.fromkeys(
        ("cannot_update_admin_user", "not_app_admin", "edit_window_closed", "paid_only", "limit_required"),
        "are rules that a workspace may have, and the twin's has not",
    ),
    **dict.fromkeys(
        ("profile_set_failed", "fetch_members_failed", "snooze_failed", "snooze_end_failed", "timezone_count_failed"),
        "are the vendor's own faults",
    ),
    **dict.fromkeys(("enterprise_is_restricted", "ura_max_channels"), "there are no organizations and no such guests"),
    **dict.fromkeys(("cannot_find_service", "cannot_prompt"), "no app prompts for authentication"),
    **dict.fromkeys(
        ("not_enough_users", "invalid_user_combination", "user_does_not_own_channel", "no_channel", "file_not_shared"),
        "other codes of the same pages are raised",
    ),
    **dict.fromkeys(("cannot_add_slackbot", "cannot_add_others_recurring"), "reminders are for oneself by now"),
    "not_pinned": "is `no_pin` on the method's page by now",
    "not_pinnable": "every kind of message can be pinned",
    "over_pagination_limit": "the list is empty",
    "reserved_name": "profiles have no user names by now",
}
"""Errors of the description that the twin does not raise, with the reason."""

NOT_BY_HANDLERS = {
    **dict.fromkeys(
        (
            "invalid_form_data",
            "invalid_json",
            "invalid_post_type",
            "json_not_object",
            "missing_post_type",
            "not_authed",
        ),
        "is answered before any method, by the wire style",
    ),
    **dict.fromkeys(("missing_charset", "superfluous_charset"), "is a warning of the answer, on all methods"),
    **dict.fromkeys(
        ("invalid_cursor", "invalid_limit", "invalid_time", "no_item_specified"),
        "is the answer to a parameter that is missing or malformed, given when parameters are parsed",
    ),
    **dict.fromkeys(
        ("msg_too_long", "too_long", "invalid_name_maxlength"),
        "is declared in `core/text_limits.py` and checked before the method",
    ),
    "rate_limited": "is `ratelimited` on all methods, as the client libraries expect",
    "restricted_action": "is a preference of a workspace; guests are told `user_is_restricted`",
    "permission_denied": "is a preference of a workspace, and the twin's has none",
    "method_not_supported_for_channel_type": "does not occur: the method takes all kinds of channels",
    "invalid_name": "is one of the more special codes of the same page (`invalid_name_specials` and the like)",
    "pins.remove file_not_found": "files can no longer be pinned",
    "pins.remove file_comment_not_found": "files can no longer be pinned",
}
"""Described errors of a method that its handler does not name: by code, or by method and code."""


def explain_error(method: str, code: str) -> str:
    """Return why a method's handler does not name a described error, or an empty text."""
    return NEVER_RAISED.get(code) or NOT_BY_HANDLERS.get(f"{method} {code}") or NOT_BY_HANDLERS.get(code, "")
