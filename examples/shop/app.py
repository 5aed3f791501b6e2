"""A small shop: what is bought is paid with Stripe and announced in Slack.

Where they are its environment says, as in production: STRIPE_API_KEY, STRIPE_API_BASE, SLACK_BOT_TOKEN, SLACK_API_URL.
"""

import os

import stripe
import uvicorn
from slack_sdk import WebClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

GOODS = {"chair": 12900, "lamp": 4900}
"""Prices in cents."""
PAGE = "<!doctype html><html lang=en><title>Shop</title><h1>Shop</h1>{body}"
FORM = """<form method=post action=/buy/{name}><h2>{title}, {price:.2f} €</h2>
<label>Card <select name=card><option value=pm_card_visa>Visa<option value=pm_card_chargeDeclined>Empty</select></label>
<button data-testid=buy-{name}>Buy the {name}</button></form>"""

payments = stripe.StripeClient(
    os.environ["STRIPE_API_KEY"], base_addresses={"api": os.environ.get("STRIPE_API_BASE", stripe.DEFAULT_API_BASE)}
)
slack = WebClient(os.environ["SLACK_BOT_TOKEN"], base_url=os.environ.get("SLACK_API_URL", WebClient.BASE_URL))


def shop(request: Request) -> Response:
    """What there is to buy."""
    forms = [FORM.format(name=name, title=name.title(), price=cents / 100) for name, cents in GOODS.items()]
    return HTMLResponse(PAGE.format(body="".join(forms)))


async def buy(request: Request) -> Response:
    """Take the money, tell the others, say thank you."""
    name, form = request.path_params["name"], await request.form()
    try:
        pay(GOODS[name], str(form["card"]))
    except stripe.CardError as refused:
        return HTMLResponse(PAGE.format(body=f"<p role=alert>Not paid: {refused.user_message}"), 402)
    announce(f"A {name} was bought.")
    return HTMLResponse(PAGE.format(body=f"<p role=status>Paid. Your {name} is on its way."))


def pay(cents: int, card: str) -> None:
    """Charge a card."""
    payments.v1.payment_intents.create(
        {
            "amount": cents,
            "currency": "eur",
            "payment_method": card,
            "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
            "confirm": True,
        }
    )


def announce(text: str) -> None:
    """Tell the first channel."""
    (channel, *_) = slack.conversations_list().get("channels", [])
    slack.chat_postMessage(channel=channel["id"], text=text)


app = Starlette(routes=[Route("/", shop), Route("/buy/{name}", buy, methods=["POST"])])

if __name__ == "__main__":
    uvicorn.run(app, port=int(os.environ.get("PORT", "3000")))
