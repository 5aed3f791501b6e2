"""The objects of a Salesforce org, with their fields and tables.

https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from twindiff.kit.rows import Column, Json, Row, Timestamp, column

_ADDRESS = (
    "Street",
    "City",
    "State",
    "PostalCode",
    "Country",
    "Latitude:double",
    "Longitude:double",
    "GeocodeAccuracy",
)
_LISTED = """
Account 001
    Name! AccountNumber Type:picklist ParentId>Account @Billing @Shipping Phone Fax Website Sic
    Industry:picklist AnnualRevenue:double NumberOfEmployees:int Ownership:picklist TickerSymbol Description
    Rating:picklist Site AccountSource:picklist OwnerId>User MasterRecordId LastActivityDate:date Jigsaw JigsawCompanyId
    CleanStatus:picklist=Pending DunsNumber Tradestyle NaicsCode NaicsDesc YearStarted SicDesc DandbCompanyId
    OperatingHoursId
Contact 003
    AccountId>Account LastName! FirstName Salutation:picklist @Mailing @Other Phone Fax MobilePhone HomePhone
    OtherPhone AssistantPhone ReportsToId>Contact Email Title Department AssistantName LeadSource:picklist
    Birthdate:date Description OwnerId>User MasterRecordId LastActivityDate:date LastCURequestDate:datetime
    LastCUUpdateDate:datetime EmailBouncedReason EmailBouncedDate:datetime IsEmailBounced:boolean Jigsaw JigsawContactId
    CleanStatus:picklist=Pending IndividualId
Lead 00Q
    LastName! FirstName Salutation:picklist Title Company! @ Phone MobilePhone Fax Email Website Description
    LeadSource:picklist Status:picklist=Open_-_Not_Contacted Industry:picklist Rating:picklist
    AnnualRevenue:double NumberOfEmployees:int IsConverted:boolean ConvertedDate:date
    ConvertedAccountId>Account ConvertedContactId>Contact ConvertedOpportunityId>Opportunity OwnerId>User
    MasterRecordId LastActivityDate:date IsUnreadByOwner:boolean Jigsaw JigsawContactId CleanStatus:picklist=Pending
    CompanyDunsNumber DandbCompanyId EmailBouncedReason EmailBouncedDate:datetime IndividualId
Opportunity 006
    AccountId>Account Name! Description StageName! Amount:double Probability:double CloseDate!:date
    Type:picklist NextStep LeadSource:picklist IsClosed:boolean IsWon:boolean ForecastCategory:picklist
    CampaignId>Campaign ContactId>Contact OwnerId>User IsPrivate:boolean TotalOpportunityQuantity:double
    ExpectedRevenue:double ForecastCategoryName:picklist HasOpportunityLineItem:boolean LastActivityDate:date
    FiscalQuarter:int FiscalYear:int Fiscal
Case 500
    CaseNumber ContactId>Contact AccountId>Account ParentId>Case SuppliedName SuppliedEmail SuppliedPhone
    SuppliedCompany Type:picklist Status:picklist=New Reason:picklist Origin:picklist Subject
    Priority:picklist=Medium Description IsClosed:boolean ClosedDate:datetime IsEscalated:boolean OwnerId>User
Task 00T
    WhoId>Contact WhatId>Account Subject ActivityDate:date Status:picklist=Not_Started
    Priority:picklist=Normal IsHighPriority:boolean Description IsClosed:boolean Type:picklist
    TaskSubtype:picklist OwnerId>User
Event 00U
    WhoId>Contact WhatId>Account Subject Location IsAllDayEvent:boolean ActivityDate:date
    StartDateTime:datetime EndDateTime:datetime DurationInMinutes:int Description Type:picklist OwnerId>User
    ActivityDateTime:datetime ShowAs:picklist IsPrivate:boolean
Campaign 701
    Name! ParentId>Campaign Type:picklist Status:picklist=Planned StartDate:date EndDate:date
    ExpectedRevenue:double BudgetedCost:double ActualCost:double IsActive:boolean Description OwnerId>User
CampaignMember 00v
    CampaignId!>Campaign LeadId>Lead ContactId>Contact Status:picklist=Sent HasResponded:boolean
CaseComment 00a
    ParentId!>Case IsPublished:boolean CommentBody
OpportunityContactRole 00K
    OpportunityId!>Opportunity ContactId!>Contact Role:picklist IsPrimary:boolean
Product2 01t
    Name! ProductCode Description IsActive:boolean Family:picklist
Topic 0TO
    Name! Description
TopicAssignment 0FT
    TopicId!>Topic EntityId! EntityKeyPrefix EntityType
Organization 00D
    Name! Division @ Phone Fax PrimaryContact DefaultLocaleSidKey=en_US TimeZoneSidKey=GMT LanguageLocaleKey=en_US
    InstanceName OrganizationType=Developer_Edition IsSandbox:boolean NamespacePrefix TrialExpirationDate:datetime
User 005
    Username! LastName! FirstName CompanyName Division Department Title Email! Phone MobilePhone Alias
    IsActive:boolean=true TimeZoneSidKey=GMT UserType:picklist=Standard
"""
"""Objects with the first letters of their ids, and below each its fields.

`Name!` is required, `Amount:double` has a type (string by default), `AccountId>Account` refers to an object,
`Status:picklist=New` has a default (`_` for a space), and `@Billing` stands for the parts of an address.
"""
_FIELD = re.compile(r"(\w+)(!)?(?::(\w+))?(?:>(\w+))?(?:=(\S+))?")
VIEWED = ("LastViewedDate", "LastReferencedDate")
"""Times at which the caller last saw a record; here they are those of its last change."""
READ_ONLY = frozenset(
    [
        "MasterRecordId",
        "LastActivityDate",
        "Jigsaw",
        "JigsawCompanyId",
        "JigsawContactId",
        "LastCURequestDate",
        "LastCUUpdateDate",
        "IsEmailBounced",
        "DandbCompanyId",
        "HasOpportunityLineItem",
        "FiscalQuarter",
        "FiscalYear",
        "Fiscal",
        "ExpectedRevenue",
    ]
)
"""Fields that only Salesforce sets."""
AUDIT = ("IsDeleted", "CreatedDate", "CreatedById", "LastModifiedDate", "LastModifiedById", "SystemModstamp")
_KINDS: dict[str, Any] = {"int": int, "double": float, "boolean": bool}


class ObjectField(NamedTuple):
    """A field of an object; `target` is the object to which it refers."""

    name: str
    type: str = "string"
    is_required: bool = False
    target: str = ""
    default: Any = None


class SalesforceObject(NamedTuple):
    """An object: the first letters of its ids, its fields by name, and its table."""

    name: str
    prefix: str
    fields: dict[str, ObjectField]
    row: Any

    @property
    def has_name_parts(self) -> bool:
        """Whether its Name is made of a first and a last name."""
        return "LastName" in self.fields and "Name" not in self.fields


def _read_field(text: str) -> ObjectField:
    match = _FIELD.fullmatch(text)
    assert match, text
    name, required, kind, target, default = match.groups()
    value: Any = default.replace("_", " ") if default else None
    if kind == "boolean":
        value = default == "true"
    return ObjectField(name, "reference" if target else kind or "string", bool(required), target or "", value)


def _make_row(name: str, fields: dict[str, ObjectField]) -> Any:
    """Return the Row class of an object: a column for each field, and `custom` for those of the org."""
    kinds: dict[str, Any] = {"Id": str}
    kinds |= {field.name: _KINDS.get(field.type, str) | None for field in fields.values()}
    kinds |= {"custom": Json, "IsDeleted": bool, "CreatedDate": Timestamp, "CreatedById": str | None}
    kinds |= {"LastModifiedDate": Timestamp, "LastModifiedById": str | None}
    namespace: dict[str, Any] = {
        "__annotations__": kinds,
        "__module__": __name__,
        **{each: column(default=None) for each in fields},
        "custom": column(default={}),
        "IsDeleted": column(default=False),
        "CreatedById": column(default=None),
        "LastModifiedDate": column(derived=True),
        "LastModifiedById": column(default=None, derived=True),
    }
    make: Any = type(Row)
    return make(f"Salesforce{name}", (Row,), namespace, table=name, key=("Id",))


def _make(name: str, prefix: str, text: str) -> SalesforceObject:
    fields = {field.name: field for field in map(_read_field, text.split())}
    return SalesforceObject(name, prefix, fields, _make_row(name, fields))


def _read_listed(listed: str) -> dict[str, SalesforceObject]:
    """Return the objects of the list above."""
    objects: dict[str, SalesforceObject] = {}
    for block in re.split(r"\n(?=\S)", listed.strip()):
        head, _, text = block.partition("\n")
        name, prefix = head.split()
        objects[name] = _make(name, prefix, re.sub(r"@(\w*)", _spread_address, text))
    return objects


def _spread_address(match: re.Match[str]) -> str:
    return " ".join(match[1] + each for each in _ADDRESS)


OBJECTS = _read_listed(_LISTED)
PLURALS = {"Opportunity": "Opportunities", "Case": "Cases", "CaseComment": "CaseComments", "Product2": "Products"}


class SalesforceCustomField(Row, table="custom_fields", key=("object", "name")):
    """A field that the org has added to an object."""

    object: Column[str]
    name: Column[str]
    type: Column[str] = column(default="string")
    is_external_id: Column[bool] = column(default=True)


class SalesforceDescription(Row, table="described_objects", key=("name",)):
    """What an org of the user's says of an object: its description, and how the list of objects shows it.

    Where there is one, it is the answer, and records have its fields.
    """

    name: Column[str]
    description: Column[Json | None] = column(default=None)
    listed: Column[Json | None] = column(default=None)
    position: Column[int] = column(default=0)


TABLES = (*(each.row for each in OBJECTS.values()), SalesforceCustomField, SalesforceDescription)


def compounds_of(kind: SalesforceObject) -> list[str]:
    """Return the names of the addresses of an object, which are made of their parts: `BillingAddress`."""
    return [
        f"{each.removesuffix('GeocodeAccuracy')}Address" for each in kind.fields if each.endswith("GeocodeAccuracy")
    ]


def has_photo(kind: SalesforceObject) -> bool:
    """Return whether records of an object have the address of a photo."""
    return kind.name in ("Account", "Contact", "Lead")


def find_object(said: str) -> SalesforceObject | None:
    """Return an object by name, without regard to case."""
    return next((each for name, each in OBJECTS.items() if name.lower() == said.lower()), None)


def relation_of(field: ObjectField) -> str:
    """Return the name by which queries reach what a field refers to: `Account` of `AccountId`."""
    return field.name.removesuffix("Id")


def children_of(name: str) -> dict[str, tuple[SalesforceObject, ObjectField]]:
    """Return the objects that refer to one, by the plural that subqueries use: `Contacts` of an Account."""
    children: dict[str, tuple[SalesforceObject, ObjectField]] = {}
    for each in OBJECTS.values():
        for field in each.fields.values():
            if field.target == name:
                children.setdefault(PLURALS.get(each.name, f"{each.name}s"), (each, field))
    return children
