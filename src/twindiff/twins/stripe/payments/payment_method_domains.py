"""Payment method domains, on which wallets may be offered; all of them count as verified.

https://docs.stripe.com/api/payment_method_domains, https://docs.stripe.com/apple-pay
"""

from __future__ import annotations

import re
from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Column, Operations, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields, StripeObject, build_view, new, resource, retrieve
from ..core.pagination import equal, list_of
from ..core.params import ListParams, OptBool, OptText, Params

api = Operations(prefix="/v1")

WALLETS = ("amazon_pay", "apple_pay", "google_pay", "klarna", "link", "paypal")
_DOMAIN = re.compile(r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]", re.IGNORECASE)


class MethodDomain(
    StripeObject, table="payment_method_domains", key=("id",), unique=(("seq",),), indexes=(("domain_name",),)
):
    domain_name: Column[str]
    enabled: Column[bool] = column(default=True)


def _status(row: MethodDomain) -> Fields:
    return {"status": "active" if row.enabled else "inactive"}


METHOD_DOMAINS = resource(
    MethodDomain,
    "payment_method_domain",
    "pmd_",
    build_view(MethodDomain, "payment_method_domain", **dict.fromkeys(WALLETS, _status)),
    spoken="payment method domain",
    param="payment_method_domain",
)


class AppleDomain(
    StripeObject, table="apple_pay_domains", key=("id",), unique=(("seq",),), indexes=(("domain_name",),)
):
    domain_name: Column[str]


APPLE_DOMAINS = resource(
    AppleDomain, "apple_pay_domain", "apwc_", build_view(AppleDomain, "apple_pay_domain"), spoken="apple pay domain"
)


class CreateAppleDomain(Params, kw_only=True):
    """The parameters of a domain."""

    domain_name: str


class CreateMethodDomain(CreateAppleDomain):
    """The parameters of a domain that can be disabled."""

    enabled: OptBool = UNSET


class UpdateMethodDomain(Params):
    """Whether a domain is enabled."""

    enabled: OptBool = UNSET


class ListAppleDomains(ListParams):
    """The parameters of a list of domains."""

    domain_name: OptText = UNSET


class ListMethodDomains(ListAppleDomains):
    """The parameters of a list of domains that can be disabled."""

    enabled: OptBool = UNSET


@api.post("/payment_method_domains")
def create_method_domain(call: Call, params: Annotated[CreateMethodDomain, Body]) -> Fields:
    """Register a domain; an existing one is returned unchanged."""
    name = _parse_domain_name(params.domain_name)
    known = call.db.find(MethodDomain, MethodDomain.domain_name == name)
    return METHOD_DOMAINS.show(
        known or new(call, METHOD_DOMAINS, domain_name=name, enabled=params.enabled is not False)
    )


@api.get("/payment_method_domains/{payment_method_domain}")
def retrieve_method_domain(call: Call, payment_method_domain: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a domain."""
    return METHOD_DOMAINS.show(retrieve(call, METHOD_DOMAINS, payment_method_domain))


@api.post("/payment_method_domains/{payment_method_domain}")
def update_method_domain(call: Call, payment_method_domain: str, params: Annotated[UpdateMethodDomain, Body]) -> Fields:
    """Enable or disable a domain."""
    row = retrieve(call, METHOD_DOMAINS, payment_method_domain)
    changed = row if params.enabled is UNSET else call.db.change(row, enabled=bool(params.enabled))
    return METHOD_DOMAINS.show(changed)


@api.post("/payment_method_domains/{payment_method_domain}/validate")
def validate_method_domain(call: Call, payment_method_domain: str, params: Annotated[Params, Body]) -> Fields:
    """Verify a domain, which always succeeds."""
    return METHOD_DOMAINS.show(retrieve(call, METHOD_DOMAINS, payment_method_domain))


@api.get("/payment_method_domains")
def list_method_domains(call: Call, params: Annotated[ListMethodDomains, Body]) -> Fields:
    """List domains."""
    where = equal((MethodDomain.domain_name, params.domain_name), (MethodDomain.enabled, params.enabled))
    return list_of(call, METHOD_DOMAINS, params, "/v1/payment_method_domains", *where)


@api.post("/apple_pay/domains")
def create_apple_domain(call: Call, params: Annotated[CreateAppleDomain, Body]) -> Fields:
    """Register a domain with Apple Pay."""
    name = _parse_domain_name(params.domain_name)
    known = call.db.find(AppleDomain, AppleDomain.domain_name == name)
    return APPLE_DOMAINS.show(known or new(call, APPLE_DOMAINS, domain_name=name))


@api.get("/apple_pay/domains/{id}")
def retrieve_apple_domain(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an Apple Pay domain."""
    return APPLE_DOMAINS.show(retrieve(call, APPLE_DOMAINS, id))


@api.delete("/apple_pay/domains/{id}")
def delete_apple_domain(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Delete an Apple Pay domain."""
    call.db.remove(retrieve(call, APPLE_DOMAINS, id))
    return {"id": id, "object": "apple_pay_domain", "deleted": True}


@api.get("/apple_pay/domains")
def list_apple_domains(call: Call, params: Annotated[ListAppleDomains, Body]) -> Fields:
    """List Apple Pay domains."""
    where = equal((AppleDomain.domain_name, params.domain_name))
    return list_of(call, APPLE_DOMAINS, params, "/v1/apple_pay/domains", *where)


def _parse_domain_name(name: str) -> str:
    if not _DOMAIN.fullmatch(name):
        message = f"Invalid domain name: {name[:253]}. Give a host without a scheme or a path, such as shop.example."
        raise StripeError(message, param="domain_name")
    return name.lower()
