"""Which objects an org has, and what each is made of.

https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_sobject_describe.htm
"""

from __future__ import annotations

import re
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.rows import not_
from twindiff.kit.twin import Operations

from .objects import (
    OBJECTS,
    READ_ONLY,
    ObjectField,
    SalesforceCustomField,
    SalesforceDescription,
    SalesforceObject,
    children_of,
    compounds_of,
    relation_of,
)
from .queries import find_description, list_fields
from .records import get_object_or_refuse

api = Operations(prefix="/services/data/v{version}/sobjects")
Shown = dict[str, Any]
_SOAP_TYPES = {
    "id": "tns:ID",
    "reference": "tns:ID",
    "boolean": "xsd:boolean",
    "int": "xsd:int",
    "double": "xsd:double",
    "date": "xsd:date",
    "datetime": "xsd:dateTime",
    "address": "urn:address",
}
_ABLE = [
    "createable",
    "deletable",
    "layoutable",
    "mergeable",
    "queryable",
    "replicateable",
    "retrieveable",
    "searchable",
    "triggerable",
    "undeletable",
    "updateable",
    "mruEnabled",
    "feedEnabled",
]
"""What the list of objects says that can be done with one."""
_NOT = [
    "activateable",
    "customSetting",
    "deepCloneable",
    "deprecatedAndHidden",
    "hasSubtypes",
    "isInterface",
    "isSubtype",
]
_LISTED_NULLS = ("associateEntityType", "associateParentEntity")
_DESCRIBED_NULLS = [
    "defaultImplementation",
    "extendedBy",
    "extendsInterfaces",
    "implementedBy",
    "implementsInterfaces",
    "listviewable",
    "lookupLayoutable",
    "networkScopeFieldName",
    "sobjectDescribeOption",
]
_FIELD_FALSE = [
    "aiPredictionField",
    "autoNumber",
    "calculated",
    "cascadeDelete",
    "caseSensitive",
    "dependentPicklist",
    "deprecatedAndHidden",
    "displayLocationInDecimal",
    "encrypted",
    "formulaTreatNullNumberAsZero",
    "highScaleNumber",
    "htmlFormatted",
    "namePointing",
    "polymorphicForeignKey",
    "queryByDistance",
    "restrictedDelete",
    "restrictedPicklist",
    "searchPrefilterable",
    "unique",
    "writeRequiresMasterRead",
]
_FIELD_NULLS = [
    "calculatedFormula",
    "compoundFieldName",
    "controllerName",
    "defaultValueFormula",
    "extraTypeInfo",
    "filteredLookupInfo",
    "inlineHelpText",
    "mask",
    "maskType",
    "referenceTargetField",
    "relationshipOrder",
]
_MERGED = ("Account", "Contact", "Lead", "Case")


def _pluralize(name: str) -> str:
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def _show_listed(kind: SalesforceObject, version: str) -> Shown:
    """Return an object as lists and descriptions show it."""
    base = f"/services/data/v{version}/sobjects/{kind.name}"
    urls = {
        "compactLayouts": f"{base}/describe/compactLayouts",
        "rowTemplate": f"{base}/{{ID}}",
        "approvalLayouts": f"{base}/describe/approvalLayouts",
        "describe": f"{base}/describe",
        "quickActions": f"{base}/quickActions",
        "layouts": f"{base}/describe/layouts",
        "sobject": base,
        "listviews": f"{base}/listviews",
        "defaultValues": f"{base}/defaultValues?recordTypeId&fields",
    }
    return {
        **dict.fromkeys(_ABLE, True),
        **dict.fromkeys(_NOT, False),
        **dict.fromkeys(_LISTED_NULLS),
        "mergeable": kind.name in _MERGED,
        "custom": False,
        "keyPrefix": kind.prefix,
        "label": kind.name,
        "labelPlural": _pluralize(kind.name),
        "name": kind.name,
        "urls": urls,
    }


@api.get("")
def list_objects(call: Call, version: str) -> Shown:
    """List the objects of the org."""
    listed = call.db.rows(
        SalesforceDescription, not_(SalesforceDescription.listed.is_null()), order=SalesforceDescription.position
    )
    shown = [cast(Shown, each.listed) for each in listed] or [_show_listed(each, version) for each in OBJECTS.values()]
    return {"encoding": "UTF-8", "maxBatchSize": 200, "sobjects": shown}


@api.get("/{type}")
def get_object_info(call: Call, version: str, type: str) -> Shown:
    """Return what an object is, with the records that were seen last."""
    return {"objectDescribe": _show_listed(get_object_or_refuse(type), version), "recentItems": []}


@api.get("/{type}/describe")
def describe_object(call: Call, version: str, type: str) -> Shown:
    """Describe an object field by field."""
    kind = get_object_or_refuse(type)
    told = find_description(call, kind)
    if told is not None:
        return told
    rows = call.db.rows(SalesforceCustomField, SalesforceCustomField.object == kind.name)
    custom = {each.name: each for each in rows}
    master = {"available": True, "defaultRecordTypeMapping": True, "developerName": "Master", "master": True}
    layout = f"/services/data/v{version}/sobjects/{kind.name}/describe/layouts/012000000000000AAA"
    record_type = {**master, "name": "Master", "active": True, "recordTypeId": "012000000000000AAA"}
    return {
        **_show_listed(kind, version),
        **dict.fromkeys(_DESCRIBED_NULLS),
        "actionOverrides": [],
        "childRelationships": [_show_child(name, *child) for name, child in children_of(kind.name).items()],
        "compactLayoutable": True,
        "fields": [_describe_field(kind, name, custom.get(name)) for name in list_fields(call, kind)],
        "namedLayoutInfos": [],
        "recordTypeInfos": [{**record_type, "urls": {"layout": layout}}],
        "searchLayoutable": True,
        "supportedScopes": [{"label": f"All {_pluralize(kind.name).lower()}", "name": "everything"}],
    }


def _show_child(name: str, child: SalesforceObject, field: ObjectField) -> Shown:
    return {
        "cascadeDelete": False,
        "childSObject": child.name,
        "deprecatedAndHidden": False,
        "field": field.name,
        "junctionIdListNames": [],
        "junctionReferenceTo": [],
        "relationshipName": name,
        "restrictedDelete": False,
    }


def _type_of(kind: SalesforceObject, name: str, custom: SalesforceCustomField | None) -> str:
    if custom or name in kind.fields:
        return custom.type if custom else kind.fields[name].type
    if name == "Id" or name in ("CreatedById", "LastModifiedById"):
        return "id" if name == "Id" else "reference"
    if name in compounds_of(kind):
        return "address"
    return "boolean" if name == "IsDeleted" else "datetime" if name.endswith(("Date", "Modstamp")) else "string"


def _describe_field(kind: SalesforceObject, name: str, custom: SalesforceCustomField | None) -> Shown:
    field = kind.fields.get(name)
    type_name = _type_of(kind, name, custom)
    is_writable = custom is not None or (field is not None and name not in READ_ONLY)
    is_number = type_name in ("int", "double")
    length = 18 if type_name in ("id", "reference") else 0 if is_number or type_name.startswith("date") else 255
    target = "User" if name in ("CreatedById", "LastModifiedById") else field.target if field else ""
    is_text = type_name not in ("boolean", "date", "datetime", "address") and not is_number
    return {
        **dict.fromkeys(_FIELD_FALSE, False),
        **dict.fromkeys(_FIELD_NULLS),
        "aggregatable": type_name not in ("boolean", "address"),
        "byteLength": length * (3 if length == 255 else 1),
        "createable": is_writable,
        "custom": custom is not None,
        "defaultValue": False if type_name == "boolean" else None,
        "defaultedOnCreate": bool(field and field.default is not None) or not is_writable or type_name == "boolean",
        "digits": 0,
        "externalId": bool(custom and custom.is_external_id),
        "filterable": True,
        "groupable": is_text,
        "idLookup": name in ("Id", "Name", "Email"),
        "label": re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removesuffix("__c")).replace("_", " "),
        "length": length if is_text else 0,
        "name": name,
        "nameField": name == "Name",
        "nillable": type_name not in ("boolean", "id") and not (field and field.is_required),
        "permissionable": is_writable and not (field and field.is_required),
        "picklistValues": [],
        "precision": 18 if type_name == "double" else 0,
        "referenceTo": [target] if target else [],
        "relationshipName": relation_of(field) if field and field.target else name[:-2] if target else None,
        "scale": 0,
        "soapType": _SOAP_TYPES.get(type_name, "xsd:string"),
        "sortable": type_name != "address",
        "type": type_name,
        "updateable": is_writable,
    }
