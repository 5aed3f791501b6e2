# ruff: noqa: E501, RUF001
"""Potluck: the lunch orders of a small office, as a web application with one process and no dependency.

`SLACK_API_URL` and `SLACK_BOT_TOKEN` are where an order is announced, `PORT` is where the application listens.
"""

import html
import json
import os
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DISHES = (("Lentil soup", 6.5, True), ("Mushroom risotto", 11.0, True), ("Tofu bowl", 9.0, False))
HEAD = """<!doctype html><title>{title} · Potluck</title><nav><a href="/">Potluck</a> <a href="/menu">Menu</a>
<a href="/basket">Basket ({count})</a> <a href="/orders">Orders</a> <a href="/help" target="_blank">Help</a>
{who}</nav><h1>{title}</h1><p role="status">{flash}</p>"""
GUEST, MEMBER = '<a href="/login">Sign in</a>', '<span>Ada Byron</span> <a href="/logout">Log out</a>'


class Kitchen:
    """What the one visitor of this process has done so far."""

    def __init__(self) -> None:
        self.signed_in = False
        self.basket: dict[str, int] = {}
        self.orders: list[dict[str, str]] = []
        self.flash = ""


KITCHEN = Kitchen()


def announce_order(text: str) -> None:
    """Post `text` to the channel #general."""
    body = json.dumps({"channel": "#general", "text": text}).encode()
    token = os.environ.get("SLACK_BOT_TOKEN", "xoxb-none")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json; charset=utf-8"}
    address = os.environ["SLACK_API_URL"].rstrip("/") + "/chat.postMessage"
    urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=60).read()


def render_menu() -> str:
    cards = "".join(
        f'<li><h2>{name}</h2><p>€{price:.2f}</p>{"" if left else "<em>Sold out</em>"}<form method="post" action="/add">'
        f'<input type="hidden" name="dish" value="{name}"><button aria-label="Add {name}"{"" if left else " disabled"}>'
        "Add to basket</button></form></li>"
        for name, price, left in DISHES
    )
    return f'<ul>{cards}</ul><iframe title="Feedback" src="/feedback" width="400" height="150"></iframe>'


def render_basket() -> str:
    if not KITCHEN.basket:
        return "<p>Your basket is empty.</p>"
    prices = {name: price for name, price, _ in DISHES}
    rows = "".join(
        f'<tr><td>{name}</td><td>{count}</td><td><form method="post" action="/remove" onsubmit="return '
        f"confirm('Remove {name}?')\"><input type=hidden name=dish value='{name}'><button>Remove</button></form></td></tr>"
        for name, count in KITCHEN.basket.items()
    )
    total = sum(prices[name] * count for name, count in KITCHEN.basket.items())
    return f"""<table><tr><th>Dish</th><th>Quantity</th><th></th></tr>{rows}</table><p>Total: €{total:.2f}</p>
<form method="post" action="/order"><label>Note for the kitchen <textarea name="note"></textarea></label>
<label>Pick-up time <select name="time"><option>12:00</option><option>12:30</option><option>13:00</option></select></label>
<label><input type="checkbox" name="cutlery"> I need cutlery</label><button>Place order</button></form>"""


def render_orders() -> str:
    rows = "".join(
        f"<tr><td>#{number}</td><td>{html.escape(order['items'])}</td><td>{order['time']}</td>"
        f"<td>{html.escape(order['note'])}</td><td>{order['status']}</td><td><form method=post action=/cancel "
        f"onsubmit=\"return confirm('Cancel order #{number}?')\"><input type=hidden name=order value={number}>"
        f"<button{'' if order['status'] == 'Waiting' else ' disabled'}>Cancel</button></form></td></tr>"
        for number, order in enumerate(KITCHEN.orders, 1)
    )
    table = f"<table><tr><th>Order</th><th>Items</th><th>Pick-up</th><th>Note</th><th>Status</th><th></th></tr>{rows}</table>"
    return f"""{table if rows else "<p>No orders yet.</p>"}
<button onclick="alert('The link is copied')">Share</button>
<button onclick="const who = prompt('Whom do you want to invite?'); document.querySelector('#invited').textContent =
who ? 'Invited ' + who : 'Nobody was invited'">Invite a colleague</button><p id="invited"></p>"""


LOGIN = """<form method="post"><label>E-mail <input name="email" type="email"></label>
<label>Password <input name="password" type="password"></label><button>Sign in</button></form>"""
FEEDBACK = """<!doctype html><title>Feedback</title><label>Your feedback <input id="said"></label>
<button onclick="document.querySelector('p').textContent = 'Thank you for your feedback'">Send feedback</button><p></p>"""
PAGES = {"/menu": ("Menu", render_menu), "/basket": ("Basket", render_basket), "/orders": ("Orders", render_orders)}


class PotluckHandler(BaseHTTPRequestHandler):
    """Pages by GET; what changes something by POST and a redirect."""

    def do_GET(self) -> None:
        path = urllib.parse.urlsplit(self.path).path
        if path == "/feedback":
            self.send_html(FEEDBACK)
        elif path == "/":
            self.send_page("Potluck", "<p>Lunch for the whole office.</p>")
        elif path == "/help":
            self.send_page("How Potluck works", "<p>Order before 11:00.</p>")
        elif path == "/login":
            self.send_page("Sign in", LOGIN)
        elif path == "/logout":
            KITCHEN.__init__()
            self.redirect("/", "You are logged out")
        elif path not in PAGES:
            self.send_error(404)
        elif not KITCHEN.signed_in:
            self.redirect("/login", "Please sign in first")
        else:
            title, render = PAGES[path]
            self.send_page(title, render())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        getattr(self, f"post_{self.path.strip('/')}")(dict(urllib.parse.parse_qsl(body)))

    def post_login(self, form: dict[str, str]) -> None:
        if (form.get("email"), form.get("password")) != ("ada@potluck.test", "lentils"):
            return self.redirect("/login", "Wrong e-mail or password")
        KITCHEN.signed_in = True
        return self.redirect("/menu", "Welcome back, Ada")

    def post_add(self, form: dict[str, str]) -> None:
        KITCHEN.basket[form["dish"]] = KITCHEN.basket.get(form["dish"], 0) + 1
        self.redirect("/menu", f"{form['dish']} is in your basket")

    def post_remove(self, form: dict[str, str]) -> None:
        KITCHEN.basket.pop(form["dish"], None)
        self.redirect("/basket", f"{form['dish']} was removed")

    def post_order(self, form: dict[str, str]) -> None:
        items = ", ".join(f"{count} × {name}" for name, count in KITCHEN.basket.items())
        KITCHEN.orders.append({"items": items, "time": form["time"], "note": form.get("note", ""), "status": "Waiting"})
        KITCHEN.basket = {}
        announce_order(f"New order #{len(KITCHEN.orders)}: {items}, pick-up at {form['time']}")
        self.redirect("/orders", f"Order #{len(KITCHEN.orders)} is placed")

    def post_cancel(self, form: dict[str, str]) -> None:
        KITCHEN.orders[int(form["order"]) - 1]["status"] = "Cancelled"
        self.redirect("/orders", f"Order #{form['order']} was cancelled")

    def redirect(self, path: str, flash: str) -> None:
        KITCHEN.flash = flash
        self.send_response(303)
        self.send_header("Location", path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send_page(self, title: str, body: str) -> None:
        flash, KITCHEN.flash = KITCHEN.flash, ""
        who = MEMBER if KITCHEN.signed_in else GUEST
        count = sum(KITCHEN.basket.values())
        self.send_html(HEAD.format(title=title, count=count, who=who, flash=html.escape(flash)) + body)

    def send_html(self, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), PotluckHandler).serve_forever()
