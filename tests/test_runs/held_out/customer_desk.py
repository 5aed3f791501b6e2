# ruff: noqa: E501
"""Customer desk: customers of a subscription business, kept in Stripe, with follow-ups in Linear.

`STRIPE_API_BASE`, `STRIPE_API_KEY`, `LINEAR_API_URL` and `LINEAR_API_KEY` name both APIs, `PORT` is where it listens.
"""

import html
import json
import os
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HEAD = """<!doctype html><title>{title}</title><header><a href="/">Customers</a> <a href="/settings">Settings</a>
<a href="/terms" target="_blank">Terms of service</a></header><main><h1>{title}</h1><div role="alert">{flash}</div>"""
NEW = """<form method="post" action="/create"><label for="n">Full name</label><input id="n" name="name">
<label for="e">Email address</label><input id="e" name="email" placeholder="name@example.com">
<fieldset><legend>Plan</legend><label><input type="radio" name="plan" value="Starter" checked> Starter</label>
<label><input type="radio" name="plan" value="Team"> Team</label>
<label><input type="radio" name="plan" value="Enterprise"> Enterprise</label></fieldset>
<label><input type="checkbox" name="vip"> Mark as VIP</label><button type="submit">Save customer</button></form>"""
PORTAL = """<!doctype html><title>Billing portal</title><h2>Card ending in 4242</h2><label>New card number
<input id="card"></label><button onclick="document.querySelector('h2').textContent =
'Card ending in ' + document.querySelector('#card').value.slice(-4)">Update card</button>"""
SETTINGS = {"paused": "", "days": "14"}
FLASH = [""]


def call_stripe(method: str, path: str, form: dict[str, str] | None = None) -> dict[str, Any]:
    """Return the body of Stripe's answer to one request."""
    body = urllib.parse.urlencode(form).encode() if form is not None else None
    headers = {"Authorization": f"Bearer {os.environ.get('STRIPE_API_KEY', 'sk_test_none')}"}
    base = os.environ["STRIPE_API_BASE"].rstrip("/")
    return json.load(
        urllib.request.urlopen(urllib.request.Request(base + path, body, headers, method=method), timeout=60)
    )


def call_linear(query: str, **variables: Any) -> dict[str, Any]:
    """Return the data of Linear's answer to one query."""
    body = json.dumps({"query": query, "variables": variables}).encode()
    key = os.environ.get("LINEAR_API_KEY", "lin_api_none")
    headers = {"Authorization": key, "Content-Type": "application/json"}
    request = urllib.request.Request(os.environ["LINEAR_API_URL"], body, headers)
    return json.load(urllib.request.urlopen(request, timeout=60))["data"]


def create_issue(title: str) -> None:
    team = call_linear("{ teams { nodes { id } } }")["teams"]["nodes"][0]["id"]
    mutation = "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }"
    call_linear(mutation, input={"teamId": team, "title": title})


def list_customers() -> list[dict[str, Any]]:
    return [one for one in call_stripe("GET", "/v1/customers?limit=100")["data"] if one["metadata"].get("plan")]


def render_customers(wanted: str) -> str:
    found = [one for one in list_customers() if wanted.lower() in one["name"].lower()]
    rows = "".join(
        f"<tr><td>{html.escape(one['name'])}</td><td>{one['email']}</td><td>{one['metadata']['plan']}</td>"
        f"<td>{'VIP' if one['metadata'].get('vip') else 'Regular'}</td><td><a href=/customer/{one['id']}>View</a></td></tr>"
        for one in found
    )
    table = f"<table><tr><th>Name</th><th>Email</th><th>Plan</th><th>Level</th><th></th></tr>{rows}</table>"
    return f"""<form><input type="search" name="q" placeholder="Search customers" value="{html.escape(wanted)}">
<button>Search</button></form>{table if rows else "<p>No customers found</p>"}<p>{len(found)} customers</p>
<a href="/new">New customer</a> <a href="/customers.csv" download>Export as CSV</a>"""


def render_customer(one: dict[str, Any]) -> str:
    name = html.escape(one["name"])
    return f"""<div role="tablist"><button role="tab" onclick="show('overview')">Overview</button>
<button role="tab" onclick="show('notes')">Notes</button></div>
<section id="overview"><dl><dt>Email</dt><dd>{one["email"]}</dd><dt>Plan</dt><dd>{one["metadata"]["plan"]}</dd></dl>
<iframe name="portal" title="Billing portal" src="/portal"></iframe></section>
<section id="notes" hidden><p>No notes about {name}</p></section>
<form method="post" action="/follow-up/{one["id"]}"><button>File follow-up</button></form>
<form method="post" action="/delete/{one["id"]}" onsubmit="return confirm('Delete {name}? This cannot be undone.')">
<button>Delete customer</button></form>
<script>function show(id) {{ for (const one of ['overview', 'notes']) document.getElementById(one).hidden = one !== id }}</script>"""


def render_settings() -> str:
    checked = "checked" if SETTINGS["paused"] else ""
    return f"""<form method="post" action="/settings"><label><input type="checkbox" name="paused" {checked}> Pause reminders</label>
<label>Grace period (days) <input type="number" name="days" value="{SETTINGS["days"]}"></label>
<button>Save settings</button></form>"""


class CustomerDeskHandler(BaseHTTPRequestHandler):
    """Pages by GET; what changes something by POST and a redirect."""

    def do_GET(self) -> None:
        split = urllib.parse.urlsplit(self.path)
        first, _, rest = split.path.strip("/").partition("/")
        if first == "":
            self.send_page("Customers", render_customers(dict(urllib.parse.parse_qsl(split.query)).get("q", "")))
        elif first == "new":
            self.send_page("New customer", NEW)
        elif first == "customer":
            one = call_stripe("GET", f"/v1/customers/{rest}")
            self.send_page(one["name"], render_customer(one))
        elif first == "settings":
            self.send_page("Settings", render_settings())
        elif first == "terms":
            self.send_page("Terms of service", "<p>You pay within 14 days.</p>")
        elif first == "portal":
            self.send_text("text/html", PORTAL)
        elif first == "customers.csv":
            self.send_text("text/csv", "\n".join(f"{one['name']},{one['email']}" for one in list_customers()))
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        form = dict(urllib.parse.parse_qsl(body))
        action, _, customer = self.path.strip("/").partition("/")
        getattr(self, "post_" + action.replace("-", "_"))(form, customer)

    def post_create(self, form: dict[str, str], _: str) -> None:
        if not form.get("name"):
            return self.redirect("/new", "Full name is required")
        if "@" not in form.get("email", ""):
            return self.redirect("/new", "Email address is not valid")
        call_stripe(
            "POST",
            "/v1/customers",
            {"name": form["name"], "email": form["email"], "metadata[plan]": form["plan"]}
            | ({"metadata[vip]": "yes"} if form.get("vip") else {}),
        )
        return self.redirect("/", f"{form['name']} has been created")

    def post_follow_up(self, _: dict[str, str], customer: str) -> None:
        name = call_stripe("GET", f"/v1/customers/{customer}")["name"]
        create_issue(f"Follow up with {name}")
        self.redirect(f"/customer/{customer}", "The follow-up is filed")

    def post_delete(self, _: dict[str, str], customer: str) -> None:
        call_stripe("DELETE", f"/v1/customers/{customer}")
        self.redirect("/", "The customer has been deleted")

    def post_settings(self, form: dict[str, str], _: str) -> None:
        if int(form["days"]) > 30:
            return self.redirect("/settings", "The grace period is at most 30 days")
        SETTINGS.update(days=form["days"], paused=form.get("paused", ""))
        return self.redirect("/settings", "Settings saved")

    def redirect(self, path: str, flash: str) -> None:
        FLASH[0] = flash
        self.send_response(303)
        self.send_header("Location", path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send_page(self, title: str, body: str) -> None:
        flash, FLASH[0] = FLASH[0], ""
        title = html.escape(title)
        self.send_text("text/html", HEAD.format(title=title, flash=html.escape(flash)) + body + "</main>")

    def send_text(self, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), CustomerDeskHandler).serve_forever()
