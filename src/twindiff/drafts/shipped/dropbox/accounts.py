"""Accounts. https://www.dropbox.com/developers/documentation/http/documentation#users"""

from __future__ import annotations

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations, Rows

from .entries import Shown
from .tables import DropboxAccount, DropboxEntry
from .wire_style import DropboxError

users = Operations(prefix="/2/users")
check = Operations(prefix="/2/check")
AGENT = "dbid:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
SPACE_BYTES = 2 * 1024**3


def account_rows() -> Rows:
    """Return the caller's account."""
    return {"accounts": [{"account_id": AGENT, "email": "agent@example.com", "display_name": "Agent Smith"}]}


@users.post("/get_current_account", reads=True)
def post_get_current_account(call: Call) -> Shown:
    """Return the caller's account."""
    account = find_caller(call)
    return _show_account(account) | {
        "country": account.country,
        "locale": account.locale,
        "referral_link": "https://www.dropbox.com/referrals/agent",
        "is_paired": False,
        "account_type": {".tag": account.account_type},
        "root_info": {".tag": "user", "root_namespace_id": "1", "home_namespace_id": "1"},
    }


def find_caller(call: Call) -> DropboxAccount:
    """Return the account that calls."""
    own = call.db.find(DropboxAccount, DropboxAccount.account_id == call.actor) or call.db.find(DropboxAccount)
    if own is None:
        raise DropboxError("no_account")
    return own


def _show_account(account: DropboxAccount) -> Shown:
    given, _, last = account.display_name.rpartition(" ")
    name = {
        "given_name": given or last,
        "surname": last if given else "",
        "familiar_name": given or last,
        "display_name": account.display_name,
        "abbreviated_name": "".join(word[:1] for word in account.display_name.split()),
    }
    told = {"email": account.email, "email_verified": True, "disabled": False}
    return {"account_id": account.account_id, "name": name, **told}


@users.post("/get_account", reads=True)
def post_get_account(call: Call, account_id: str) -> Shown:
    """Return an account."""
    account = call.db.find(DropboxAccount, DropboxAccount.account_id == account_id)
    if account is None:
        raise DropboxError("no_account")
    return _show_account(account) | {"is_teammate": False}


@users.post("/get_account_batch", reads=True)
def post_get_account_batch(call: Call, account_ids: list[str]) -> list[Shown]:
    """Return accounts in the order that is given; refuses the batch for the first that does not exist."""
    known = {each.account_id: each for each in call.db.rows(DropboxAccount)}
    unknown = next((each for each in account_ids if each not in known), None)
    if unknown is not None:
        raise DropboxError("no_account", no_account=unknown)
    return [_show_account(known[each]) | {"is_teammate": False} for each in account_ids]


@users.post("/get_space_usage", reads=True)
def post_get_space_usage(call: Call) -> Shown:
    """Return how much is stored."""
    used = sum(each.size or 0 for each in call.db.rows(DropboxEntry, DropboxEntry.tag == "file"))
    return {"used": used, "allocation": {".tag": "individual", "allocated": SPACE_BYTES}}


@check.post("/user", reads=True)
@check.post("/app", reads=True)
def post_check(call: Call, query: str = "") -> Shown:
    """Return what is given, by which a client sees that its token is one."""
    return {"result": query}
