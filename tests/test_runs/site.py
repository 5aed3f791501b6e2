"""A small web application for tests to be run against."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SHOP = """<!doctype html><html><head><title>Shop</title></head><body><h1>Shop</h1>
<form onsubmit="return false">
<label>Email <input id=email name=email></label>
<input placeholder="Your name" name=customer>
<label>Size <select id=size><option value=s>Small<option value=l>Large</select></label>
<button data-testid=pay onclick="console.log('paying'); out.innerText='Paid by ' + email.value">Pay now</button>
</form>
<p id=out></p><a href="/about">About us</a>
<p id=hint onmouseover="this.innerText='Hovered'">Hover me</p>
</body></html>"""
LOGIN = """<!doctype html><title>Sign in</title><form onsubmit="
  out.innerText = email.value == 'ada@example.com' && password.value == 'secret' ? 'Welcome, Ada' : 'Wrong password';
  return false">
<label>Email <input id=email></label><label>Password <input id=password type=password></label>
<button>Log in</button></form><p id=out></p>"""
TEAM = """<!doctype html><title>Team</title><nav><a href="/about">About us</a> <a href="/team">Team</a></nav>
<h1>Sign in</h1><button>Sign in</button><button disabled>Remove all</button>
<button onclick="setTimeout(() => late.innerText = 'Something went wrong', 300)">Break</button>
<button onclick="spinner.hidden = false; setTimeout(() => spinner.hidden = true, 300)">Load</button>
<p id=late></p><p id=spinner hidden>Loading</p><p>Nothing is wrong</p>
<table><tr><th>Name<th>Role<th><th></tr>
<tr><td>Ada<td>Owner<td><button onclick="out.innerText = 'Editing Ada'">Edit</button></tr>
<tr><td>Adam<td>Guest<td><button onclick="out.innerText = 'Editing Adam'">Edit</button></tr></table>
<label><input type=checkbox id=terms> I agree to the terms</label>
<label>Email <input id=email value="ada@beacon.test"></label>
<label>Day <input type=date id=day></label>
<label>Plan <select id=plan onchange="out.innerText = 'Plan ' + plan.value"><option>Free<option>Team</select></label>
<label><input type=radio name=pay onchange="out.innerText = 'By card'"> Card</label>
<iframe srcdoc="<button onclick=&quot;this.innerText = 'Done inside'&quot;>Inside</button>"></iframe>
<div onclick="1">Cancel all</div><a href="/about">Log out</a><p id=out></p>"""
WINDOWS = """<!doctype html><title>Windows</title><h1>Windows</h1><nav>Ada Byron</nav>
<button onclick="out.innerText = confirm('Remove Ada?') ? 'Removed' : 'Kept'">Remove</button>
<button onclick="out.innerText = 'Invited ' + prompt('Whom?')">Invite</button>
<button onclick="alert('The link is copied')">Share</button><p>Total: €6.50</p>
<label>Grace period (days) <input value=14></label><a href="/about" target="_blank">Help</a><p id=out></p>
<iframe title="Feedback" srcdoc="<label>Comment <input></label><button onclick=&quot;p.innerText='Thanks'&quot;>
Send</button><p id=p></p>"></iframe><iframe title="Weather" srcdoc="<p>Rain</p>"></iframe>"""
PANTRY = """<!doctype html><title>Pantry</title><h1>Pantry</h1><script>
const fault = new URLSearchParams(location.search).get('fault'), kept = {}, people = [];
function add(name) {
  const as = fault === 'other' ? 'Soup' : name;
  kept[as] = fault === 'once' ? 1 : (kept[as] || 0) + 1;
  draw();
}
function drop(name) {
  if (fault !== 'stays') delete kept[fault === 'last' ? Object.keys(kept).pop() : name];
  draw();
}
function hire(form) {
  const level = form.v.checked && fault !== 'plain' ? 'VIP' : 'Regular';
  if (fault !== 'lost') people.push([form.n.value, form.e.value, level]);
  form.reset();
  draw();
}
function draw() {
  const row = cells => `<tr><td>${cells.join('</td><td>')}</td></tr>`;
  const link = "<a href='#' onclick='view(this)'>View</a>";
  const remove = name => `<button onclick="drop('${name}')">Remove</button>`;
  stock.innerHTML = Object.entries(kept).map(([name, n]) => row([name, n, remove(name)])).join('');
  staff.innerHTML = people.map(one => `<li><b>${one[0]}</b> ${one[1]} ${one[2]} ${link}</li>`).join('');
}
function view(link) { out.innerText = 'Profile of ' + link.parentElement.querySelector('b').innerText }
</script>
<ul><li><h2>Soup</h2><button onclick="add('Soup')">Add to basket</button> <button>Add to wish list</button></li>
<li><h2>Tofu bowl</h2><button onclick="add('Tofu bowl')">Add to basket</button> <button>Add to wish list</button></li>
</ul><table><tr><th>Dish</th><th>Quantity</th><th></th></tr><tbody id=stock></tbody></table><ul id=staff></ul>
<button onclick="hiring.hidden = false">New helper</button>
<form id=hiring hidden onsubmit="hire(this); return false"><label>Full name <input name=n></label>
<label>E-mail <input name=e></label><label><input type=checkbox name=v> Mark as VIP</label>
<button>Save helper</button></form><p id=out></p>"""
UNSEEN = """<!doctype html><title>Unseen</title><h1>Unseen</h1><style>.beside { position: absolute; left: -9999px }
.clear { opacity: 0 } .rolled { height: 0; overflow: hidden } .read { position: absolute; width: 1px; overflow: hidden }
</style><p class=beside>Beside</p><p class=clear>Clear</p><p class=rolled>Rolled</p><p class=read>Read aloud</p>
<p style="font-size: 0">Tiny</p><details><summary>Hours</summary><p>Nine to five</p></details>
<iframe style="display: none" srcdoc="<p>In a frame</p>"></iframe><select><option>All<option>Cancelled</select>
<button class=beside>Go</button><a class=clear href="/">Away</a><button>Rent</button><button disabled>Rent</button>
<div style="height: 40px; overflow: auto" id=chat><p>Oldest</p><p style="height: 900px">Middle</p><p>Newest</p></div>
<label><input type=checkbox class=clear> Agree</label><p style="text-transform: uppercase">paid</p>
<div style="height: 2000px"></div><p>Below</p><script>chat.scrollTop = 2000</script>"""
LATE = """<!doctype html><title>Late</title><h1>Late</h1><style>
@keyframes draw { from { opacity: 0 } 99% { opacity: 0 } to { opacity: 1 } } .drawn { animation: draw 1s forwards }
</style><button onclick="setTimeout(() => out.innerText = 'Broken', 1200)">Break later</button>
<button onclick="setTimeout(() => setTimeout(() => out.innerText = 'Broken', 600), 600)">Break twice</button>
<button onclick="drawing.hidden = false">Draw</button><button>Rest</button>
<button onclick="const id = setInterval(() => { clearInterval(id); stock.insertRow().insertCell() }, 1200)">
Add later</button>
<button onclick="out.innerText = 'Saved'; document.getAnimations = () => { out.innerText = ''; return [] }">
Save</button>
<button onclick="const poll = () => setTimeout(poll, 200); poll()">Poll</button>
<button onclick="const spin = () => setTimeout(spin); spin(); let looks = 0;
document.getAnimations = () => { looks += 1; out.innerText = looks > 20 ? 'Asked on and on' : ''; return [] }">
Spin</button>
<p id=out></p><p id=drawing class=drawn hidden>Broken</p><table id=stock><tr><td>Ada</table>"""
ALIKE = """<!doctype html><title>Bikes</title><h1>Bikes</h1><style>.clear { opacity: 0 }</style>
<nav><a href="/about">Help</a></nav><footer><a href="/about">Help</a> <a href="/team">Terms</a></footer>
<div class=card><h3>Roadster</h3><button onclick="out.innerText = 'Roadster rented'">Rent</button></div>
<div class=card><h3>Tandem</h3><button onclick="out.innerText = 'Tandem rented'">Rent</button></div>
<button disabled>Return</button><button onclick="out.innerText = 'Returned'">Return</button>
<button class=clear>Buy</button><button onclick="out.innerText = 'Bought'" aria-label=Buy>€</button><h2>Buy</h2>
<label>Email <input></label><a href="/late">Terms</a>
<fieldset><legend>Invoice</legend><label>Email <input></label><label><input type=checkbox> Agree</label></fieldset>
<label><input type=checkbox> Agree</label><button onclick="asked.showModal()">Ask</button>
<dialog id=asked><button onclick="out.innerText = 'Asked'; asked.close()">Rent</button></dialog>
<table><tr><th>Bike<th>Price<tr><td>Roadster<td><span style="opacity: 0">99</span> 12</table><p id=out></p>"""
RECORDS = """<!doctype html><title>Orders</title><h1>Orders</h1><nav><a href="/records">Orders</a></nav><table>
<thead><tr><th><input type=checkbox><th>Number<th>Customer<th>State<th>Amount<th>Due<th></tr></thead>
<tbody id=all></tbody></table><label>Limit <input value=30></label><label>State <select id=by onchange="draw()">
<option>Any<option>New
<option>Sent</select></label><label>Due <input type=date id=due></label><button id=pay disabled>Pay selected</button>
<p id=out></p><script>const form = {month: 'short', day: 'numeric', year: 'numeric'};
const day = n => new Date(Date.now() + n * 864e5).toLocaleDateString('en', form);
let list = [[1, 'Ada', 'New', 49, day(0)], [2, 'Bo', 'Sent', 298, day(1)], [3, 'Cy', 'New', 18, day(7)]];
const send = n => { list = [...list.filter(each => each[0] !== n), [n, ...list.find(each => each[0] === n)
  .map((each, at) => at === 2 ? 'Sent' : each).slice(1)]]; draw(); out.innerText = 'Order ' + n + ' sent' };
const drop = n => { list = list.filter(each => each[0] !== n); draw() };
const isListed = each => by.value === 'Any' || each[2] === by.value;
const draw = () => all.innerHTML = list.filter(isListed).map(([n, who, state, of, on]) =>
  `<tr><td><input type=checkbox onchange="pay.disabled = false"><td>SO-${n}<td>${who}<td>${state}<td>€${of}<td>${on}<td>
  <button onclick="send(${n})">Send</button> <button onclick="drop(${n})">Remove</button></tr>`).join('');
draw();</script>"""
CATALOGUE = """<!doctype html><title>Catalogue</title><h1>Catalogue</h1><table id=books>
<tr><th>Title<th>Borrower<th>Status<th>Copies<th></tr>
<tr><td>Ulysses<td>Bob Kane<td><b class=badge>On loan</b><td>2<td><button
onclick="give(this, 'Available')">Return</button></tr>
<tr><td>Emma<td><td><b class=badge>Available</b><td>1<td><button onclick="give(this, 'On loan')">Lend</button></tr>
<tr><td>Dune (open edition)<td>Ann Reed<td><b class=badge>On loan</b><td>5<td><button
onclick="give(this, 'Available')">Return</button></tr></table>
<script>const give = (each, state) => { each.closest('tr').cells[2].textContent = state; each.remove(); }</script>"""
DESK = """<!doctype html><title>Desk</title><h1>Invoices</h1><nav><a href="/about">Help</a></nav>
<ul id=all></ul><p id=none hidden>You have no invoices</p><div role=status id=toast></div><p id=out></p>
<dialog id=sure><h2>Delete it?</h2><p>This cannot be undone.</p>
<button onclick="sure.close()">Keep it</button><button onclick="drop()">Yes, delete it</button></dialog>
<script>const fault = new URLSearchParams(location.search).get('fault');
let list = ['INV-7', 'INV-8'], meant = '';
const ask = name => { meant = name; toast.textContent = ''; fault === 'unasked' ? drop() : sure.showModal() };
const drop = () => {
  if (fault !== 'stays') list = list.filter(each => each !== meant);
  if (fault !== 'open') sure.close();
  toast.textContent = fault === 'failing' ? 'Invoice could not be deleted' : `Invoice ${meant} deleted`; draw() };
const draw = () => { none.hidden = list.length; all.innerHTML = list.map(each =>
  `<li>${each} <b class=badge>Draft</b> <button onclick="ask('${each}')">Delete</button></li>`).join('') };
draw();</script>"""
STALE = """<!doctype html><title>Stale</title><h1>Invoice INV-7</h1><div role=status>Invoice deleted</div>
<p>Delete it?</p>
<button onclick="out.innerText = 'gone'">Go</button><button onclick="pop.hidden = false">Ask</button>
<button onclick="out.innerText = 'kept'">Keep</button><button onclick="out.innerText = 'sent'">Confirm email</button>
<p id=out></p><div role=dialog id=pop hidden><h2>Archive it?</h2><button onclick="pop.hidden = true">No</button></div>
<form><h2>Change password</h2><label>Password <input type=password></label><button>Save</button></form>"""
"""Says before any action, and outside its dialog, what a prompt may wrongly find there."""
LEFT = """<!doctype html><title>Left</title>
<label>Search <input type=search onchange="out.innerText = 'Asked for ' + value"></label><p id=out></p>"""
"""Follows its field only once that is left."""
PAGES = {
    "/stale": STALE,
    "/left": LEFT,
    "/desk": DESK,
    "/records": RECORDS,
    "/alike": ALIKE,
    "/late": LATE,
    "/unseen": UNSEEN,
    "/headed": "<!doctype html><title>Headed</title><header><h1>Shop</h1></header><h2 id=late>Dishes</h2>"
    "<script>setTimeout(() => document.querySelector('header').remove(), 300)</script>",
    "/pantry": PANTRY,
    "/catalogue": CATALOGUE,
    "/windows": WINDOWS,
    "/": SHOP,
    "/team": TEAM,
    "/about": "<!doctype html><title>About</title><h1>About us</h1><p>We sell chairs.</p>",
    "/login": LOGIN,
    "/slow": "<!doctype html><p id=out>wait</p><script>setTimeout(() => out.innerText = 'ready', 300)</script>",
    "/busy": "<!doctype html><p>busy</p><script>setTimeout(() => { while (true) {} }, 50)</script>",
    "/dialogs": "<!doctype html><p>dialogs</p><script>setTimeout(() => { while (true) alert('no') }, 50)</script>",
    "/greedy": "<!doctype html><script>const all = []; setInterval(() => all.push(new Uint8Array(2e7).fill(1)), 20)"
    "</script>",
    "/get": "<!doctype html><a href=/endless download>Get all</a> <a href=/dripping download>Get some</a>",
    "/chatty": "<!doctype html><p>chatty</p><script>for (let i = 0; i < 10000; i++) console.log('line', i)</script>",
    "/popups": "<!doctype html><p>pop</p><script>for (let i = 0; i < 20; i++) window.open('/about')</script>",
}


class Site:
    """Serves the pages above, and those that a test adds, on a loopback port."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = dict(PAGES)
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.answer(self)

            do_POST = do_GET  # noqa: N815 - the name that the library calls

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self._closed = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def add_page(self, path: str, page: str) -> None:
        """Serve a page of a test beside those of all; raises AssertionError where another one has the path."""
        assert self.pages.setdefault(path, page) == page, f"{path} is another page already"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        path = handler.path.partition("?")[0]
        self.asked.append(handler.path)
        if path == "/stuck":
            self._closed.wait()
            return
        if path in ("/endless", "/dripping"):
            self._endless(handler, 65_536 if path == "/endless" else 64)
            return
        if path == "/away":
            handler.send_response(302)
            handler.send_header("Location", handler.path.partition("?to=")[2])
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        page = self.pages.get(path)
        body = (page or "nothing here").encode()
        handler.send_response(200 if page else 404)
        handler.send_header("Content-Type", "text/html; charset=utf-8")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def _endless(self, handler: BaseHTTPRequestHandler, size: int) -> None:
        """A download that never ends, of large pieces at once or of small ones now and then."""
        handler.send_response(200)
        handler.send_header("Content-Type", "application/octet-stream")
        handler.send_header("Content-Disposition", "attachment; filename=endless.bin")
        handler.end_headers()
        try:
            while not self._closed.wait(0 if size > 1000 else 0.1):
                handler.wfile.write(b"x" * size)
        except OSError:
            pass

    def close(self) -> None:
        self._closed.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
