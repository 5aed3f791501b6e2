"""The org: signing in, its own fields and its limits.

https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_limits.htm
"""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from twindiff.kit.call import Call
from twindiff.kit.clock import Clock
from twindiff.kit.http import Response
from twindiff.kit.parameter_sources import Body, Named
from twindiff.kit.twin import Operations, Rows

from .objects import OBJECTS, SalesforceCustomField
from .queries import FIELDS_MEMO, list_fields
from .records import get_object_or_refuse
from .wire_style import SalesforceError, make_id

api = Operations()
VERSIONS = tuple(f"{number}.0" for number in range(52, 66))
ORGANIZATION = make_id("00D", 1)
AGENT = make_id("005", 1)
Shown = dict[str, Any]


def org_rows() -> Rows:
    """Return the rows that every org has: the user who calls, and itself."""
    begin = Clock(1_767_225_600_000_000).iso()
    user = {
        "Id": AGENT, "Username": "agent@example.com", "Email": "agent@example.com", "LastName": "Agent",
        "IsActive": True, "TimeZoneSidKey": "GMT", "UserType": "Standard", "Alias": "agent",
        "CreatedDate": begin, "LastModifiedDate": begin,
    }  # fmt: skip
    own = {
        "Id": ORGANIZATION, "Name": "Twindiff", "DefaultLocaleSidKey": "en_US", "TimeZoneSidKey": "GMT",
        "LanguageLocaleKey": "en_US", "OrganizationType": "Developer Edition", "IsSandbox": False,
        "CreatedDate": begin, "LastModifiedDate": begin,
    }  # fmt: skip
    return {"User": [user], "Organization": [own]}


@api.get("/services/data")
def list_versions(call: Call) -> list[Shown]:
    """List the versions of the API."""
    return [{"label": f"Release {each}", "url": f"/services/data/v{each}", "version": each} for each in VERSIONS]


@api.get("/services/data/v{version}")
def list_resources(call: Call, version: str) -> Shown:
    """List the resources of a version."""
    names = ("sobjects", "query", "queryAll", "search", "limits", "composite")
    return {each: f"/services/data/v{version}/{each}" for each in names}


@api.post("/services/data/v{version}/tooling/sobjects/CustomField", status=201)
def post_custom_field(call: Call, version: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Add a field to an object: `{"FullName": "Contact.Colour__c", "Metadata": {…}}`."""
    type_name, _, name = str(body.get("FullName") or "").partition(".")
    kind = OBJECTS.get(type_name)
    if kind is None or not re.fullmatch(r"[A-Za-z]\w{0,37}__c", name):
        said = "The FullName must name an object and a field that ends in __c, as in Contact.Colour__c"
        raise SalesforceError("INVALID_FIELD", said, "FullName")
    if name.lower() in [each.lower() for each in list_fields(call, kind)]:
        raise SalesforceError("DUPLICATE_DEVELOPER_NAME", f"There is already a field named {name} on {kind.name}.")
    call.db.add(SalesforceCustomField(object=kind.name, name=name))
    call.memo.pop(FIELDS_MEMO, None)
    return {"id": make_id("00N", call.db.next("custom_field")), "success": True, "errors": [], "warnings": []}


@api.get("/services/data/v{version}/limits")
def get_limits(call: Call, version: str) -> Shown:
    """Return the limits of the org, of which nothing is used up."""
    return {
        "DailyApiRequests": {"Max": 100_000, "Remaining": 100_000},
        "DataStorageMB": {"Max": 1000, "Remaining": 1000},
    }


@api.get("/services/data/v{version}/limits/recordCount")
def count_records(call: Call, version: str, s_objects: Annotated[str, Named("sObjects")] = "") -> Shown:
    """Count the records of objects."""
    names = [each for each in s_objects.split(",") if each] or [*OBJECTS]
    kinds = [get_object_or_refuse(each) for each in names]
    counts = [(each.name, sum(1 for row in call.db.rows(each.row) if not row.IsDeleted)) for each in kinds]
    return {"sObjects": [{"count": count, "name": name} for name, count in counts if count]}


@api.get("/services/oauth2/userinfo")
def get_user_info(call: Call) -> Shown:
    """Return the caller."""
    user = call.db.find(OBJECTS["User"].row, OBJECTS["User"].row.Id == (call.actor or AGENT))
    if user is None:
        raise SalesforceError("INVALID_SESSION_ID", "Session expired or invalid")
    return {
        "sub": f"{call.base_url}/id/{ORGANIZATION}/{user.Id}",
        "user_id": user.Id,
        "organization_id": ORGANIZATION,
        "preferred_username": user.Username,
        "name": user.LastName,
        "email": user.Email,
        "user_type": "STANDARD",
        "active": user.IsActive,
    }


@api.post("/services/oauth2/token", open=True)
def post_token(call: Call, grant_type: Annotated[str, Named("grant_type")] = "password") -> Shown:
    """Return an access token of the environment for any credentials."""
    return {
        "access_token": f"{ORGANIZATION}!{call.token or 'token'}",
        "instance_url": call.base_url,
        "id": f"{call.base_url}/id/{ORGANIZATION}/{AGENT}",
        "token_type": "Bearer",
        "issued_at": str(call.clock.micros // 1000),
        "signature": "c2lnbmF0dXJl",
        "scope": "api refresh_token",
    }


@api.post("/services/Soap/u/{version}", open=True)
def post_login(call: Call, version: str, content: Annotated[bytes, Body]) -> Response:
    """Sign in by SOAP with a name and a password, as simple-salesforce does; all else of SOAP is not served."""
    text = content.decode(errors="replace")
    match = re.search(r"<(?:\w+:)?username>([^<]*)</", text)
    if match is None:
        fault = (
            "<soapenv:Fault><faultcode>sf:UNKNOWN_EXCEPTION</faultcode>"
            "<faultstring>Only login is served.</faultstring></soapenv:Fault>"
        )
        return Response(_envelope(fault), 500, "text/xml; charset=UTF-8")
    base = call.base_url if urlsplit(call.base_url).scheme else f"https://{call.base_url}"
    body = (
        f"<loginResponse><result><metadataServerUrl>{base}/services/Soap/m/{version}/{ORGANIZATION[:15]}</metadataServerUrl>"
        f"<passwordExpired>false</passwordExpired><sandbox>false</sandbox>"
        f"<serverUrl>{base}/services/Soap/u/{version}/{ORGANIZATION[:15]}</serverUrl>"
        f"<sessionId>{ORGANIZATION[:15]}!{call.token or 'token'}</sessionId><userId>{AGENT}</userId>"
        f"<userInfo><organizationId>{ORGANIZATION}</organizationId><sessionSecondsValid>7200</sessionSecondsValid>"
        f"<userName>{escape(match[1])}</userName></userInfo></result></loginResponse>"
    )
    return Response(_envelope(body), 200, "text/xml; charset=UTF-8")


def _envelope(body: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope'
        ' xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:partner.soap.sforce.com">'
        f"<soapenv:Body>{body}</soapenv:Body></soapenv:Envelope>"
    ).encode()
