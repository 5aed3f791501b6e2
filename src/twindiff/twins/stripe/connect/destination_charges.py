"""Destination charges: charges whose amount, less a fee, is transferred to a connected account.

https://docs.stripe.com/connect/destination-charges
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.accounts import check_connected_account
from ..core.objects import Fields, retrieve
from ..tables.charge_tables import Charge
from . import application_fees
from .application_fees import FEES
from .transfers import TRANSFERS, pay, reverse

NO_DESTINATION = (
    "Can only apply an application_fee_amount when the PaymentIntent is attempting a direct payment (using an OAuth "
    "key or Stripe-Account header) or destination payment (using `transfer_data[destination]`)."
)


def check_destination(call: Call, params: Any, amount: int, at: str = "") -> None:
    """Raise StripeError for a fee without a destination or above `amount`, and for unknown accounts."""
    wanted: Any = params.transfer_data
    destination = wanted.destination if wanted else ""
    fee: Any = params.application_fee_amount
    if isinstance(fee, int) and not destination:
        raise StripeError(NO_DESTINATION, param=_inside(at, "application_fee_amount"))
    _check_accounts(call, params, at)
    if isinstance(fee, int) and wanted and isinstance(wanted.amount, int):
        message = "You may only specify one of these parameters: application_fee_amount, transfer_data[amount]."
        raise StripeError(message, param=_inside(at, "application_fee_amount"))
    for given, name in ((fee, "application_fee_amount"), (wanted and wanted.amount, "transfer_data[amount]")):
        if isinstance(given, int) and not isinstance(given, bool) and not 0 <= given <= amount:
            message = f"The {name} must be from 0 to the amount of the payment, {amount}."
            raise StripeError(message, param=_inside(at, name))


def transfer_to_destination(call: Call, charge: Charge) -> Charge:
    """Transfer a charge's amount to its destination, less the application fee."""
    wanted: Fields = charge.transfer_data
    group = charge.transfer_group or (f"group_{charge.payment_intent}" if charge.payment_intent else None)
    transfer = pay(
        call,
        min(wanted.get("amount") or charge.amount_captured, charge.amount_captured),
        charge.currency,
        destination=wanted["destination"],
        source_transaction=charge.id,
        transfer_group=group,
    )
    fields: Fields = {"transfer": transfer.id, "transfer_group": group}
    if charge.application_fee_amount:
        kept = min(charge.application_fee_amount, charge.amount_captured)
        fields["application_fee"] = application_fees.create_fee(call, charge, wanted["destination"], kept).id
    return call.db.change(charge, **fields)


def reverse_destination_transfer(
    call: Call, charge: Charge, amount: int, refund: str, *, transfer: bool, fee: bool
) -> str | None:
    """Reverse the refunded part of a transfer and refund that part of the fee, as requested.

    Returns the id of the transfer reversal, or None.
    """
    reversal = None
    if transfer and charge.transfer:
        row = retrieve(call, TRANSFERS, charge.transfer)
        part = min(amount * row.amount // charge.amount_captured, row.amount - row.amount_reversed)
        reversal = reverse(call, row, part, {}, source_refund=refund).id if part else None
    if fee and charge.application_fee:
        kept = retrieve(call, FEES, charge.application_fee)
        part = min(amount * kept.amount // charge.amount_captured, kept.amount - kept.amount_refunded)
        if part:
            application_fees.refund_fee(call, kept, part, {})
    return reversal


def check_reversal(charge: Charge, *, transfer: bool, fee: bool) -> None:
    """Raise StripeError if there is no transfer or fee to take back."""
    if transfer and not charge.transfer:
        message = f"The charge {charge.id} has no transfer, so that `reverse_transfer` cannot be true."
        raise StripeError(message, param="reverse_transfer")
    if fee and not charge.application_fee:
        message = f"The charge {charge.id} has no application fee, so that `refund_application_fee` cannot be true."
        raise StripeError(message, param="refund_application_fee")


def check_subscription(call: Call, params: Any, at: str = "") -> None:
    """Raise StripeError for unknown accounts, and for percentages over 100, of a subscription."""
    transfer: Any = params.transfer_data
    _check_accounts(call, params, at)
    parts = (
        ("application_fee_percent", params.application_fee_percent),
        ("transfer_data[amount_percent]", transfer and transfer.amount_percent),
    )
    for name, percent in parts:
        if isinstance(percent, int | float) and not 0 <= percent <= 100:
            raise StripeError(f"Invalid {name}: must be from 0 to 100.", param=_inside(at, name))


def _check_accounts(call: Call, params: Any, at: str = "") -> None:
    transfer: Any = params.transfer_data
    check_connected_account(call, params.on_behalf_of, _inside(at, "on_behalf_of"), "account")
    name = _inside(at, "transfer_data[destination]")
    check_connected_account(call, transfer and transfer.destination, name, "destination")


def _inside(at: str, name: str) -> str:
    first, bracket, rest = name.partition("[")
    return f"{at}[{first}]{bracket}{rest}" if at else name


def check_sale(call: Call, params: Any, *, recurring: bool, destination: Any) -> None:
    """Raise StripeError for amounts on recurring sales and percentages on one-time sales."""
    transfer: Any = params.transfer_data or None
    amount, percent = transfer and transfer.amount, transfer and getattr(transfer, "amount_percent", None)
    once = (("application_fee_amount", params.application_fee_amount), ("transfer_data[amount]", amount))
    again = (("application_fee_percent", params.application_fee_percent), ("transfer_data[amount_percent]", percent))
    for name, value in once if recurring else again:
        if isinstance(value, int | float):
            needed = "can only be used when there are no" if recurring else "needs at least one of the"
            raise StripeError(f"`{name}` {needed} line items with recurring prices.", param=name)
    if isinstance(params.application_fee_amount, int) and not destination:
        raise StripeError(NO_DESTINATION, param="application_fee_amount")
    for name, value in once:
        if isinstance(value, int) and value < 0:
            message = "This value must be greater than or equal to 0."
            raise StripeError(message, code="parameter_invalid_integer", param=name)
    for name, value in again:
        if isinstance(value, int | float) and not 0 <= value <= 100:
            raise StripeError(f"Invalid {name}: must be from 0 to 100.", param=name)
    _check_accounts(call, params)
