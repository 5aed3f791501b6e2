"""Records what a page does during a step: console, network, dialogs, windows and downloads, each limited."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twindiff.browser.config import DialogAnswer

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, ConsoleMessage, Dialog, Download, Page, Request, Response

MAX_LINES = 50
"""Console lines, and requests, kept for a step."""
MAX_LINE_CHARACTERS = 500
MAX_DIALOGS = 50
MAX_WINDOWS = 5
MAX_DOWNLOADS = 10
MAX_DOWNLOAD_BYTES = 20_000_000
"""Bytes of the largest download that a run keeps."""
STREAMS = ("eventsource", "websocket", "media", "ping")
"""Types of requests that may stay open for as long as a page does."""
_UNSAFE = re.compile(r"[^\w.-]+")


class Observer:
    """Watches a browser context; `take` returns what was recorded since its last call.

    `stop` ends a run over its limits, and `mask` masks the secrets of a text before it is cut to a line.
    """

    def __init__(
        self, context: BrowserContext, folder: Path, stop: Callable[[str], None], mask: Callable[[str], str]
    ) -> None:
        self._folder = folder
        self._stop = stop
        self._mask = mask
        self._console: list[dict[str, str]] = []
        self._network: list[dict[str, Any]] = []
        self._said: list[str] = []
        self._counts = {"console": 0, "network": 0}
        self._dialogs = 0
        self.answer: DialogAnswer | None = None
        """How the next dialog is answered; all others are accepted."""
        self.dialogs: list[str] = []
        """The messages of the dialogs that a step was expected to open."""
        self._downloads: list[str] = []
        self.downloads: list[str] = []
        """The names under which pages offered the files that were downloaded completely."""
        self._saving: set[asyncio.Task[None]] = set()
        self.pages: list[Page] = []
        self._open: set[Request] = set()
        context.on("request", self._on_request)
        context.on("requestfinished", self._on_finish)
        context.on("page", self._on_page)
        context.on("console", self._on_console)
        context.on("response", self._on_response)
        context.on("requestfailed", self._on_failure)
        context.on("dialog", self._on_dialog)

    @property
    def page(self) -> Page:
        """The window that was opened last and is still open."""
        self.pages = [page for page in self.pages if not page.is_closed()] or self.pages[-1:]
        return self.pages[-1]

    @property
    def is_quiet(self) -> bool:
        """Whether no request is open; streams do not count."""
        return not self._open

    def note(self, said: str) -> None:
        """Add a line to the log of the step."""
        if len(self._said) < MAX_LINES:
            self._said.append(self._mask(said)[:MAX_LINE_CHARACTERS])

    def take(self) -> dict[str, Any]:
        """Return what was recorded since the last call: `console`, `network`, `log`, and `counts` with the totals."""
        taken = {"console": self._console, "network": self._network, "log": self._said, "counts": {**self._counts}}
        self._console, self._network, self._said = [], [], []
        self._counts = {"console": 0, "network": 0}
        return taken

    async def settle(self, seconds: float) -> list[str]:
        """Wait for downloads to be saved; returns the names of unfinished ones."""
        if self._saving:
            await asyncio.wait(self._saving, timeout=seconds)
        return [name for name in self._downloads if not (self._folder / name).exists()]

    def _on_page(self, page: Page) -> None:
        if len([each for each in self.pages if not each.is_closed()]) >= MAX_WINDOWS:
            self.note(f"a window was closed at once, since there are {MAX_WINDOWS}")
            self._begin(page.close())
            return
        self.pages.append(page)
        page.on("download", self._on_download)
        page.on("crash", lambda _: self._stop("the page crashed"))

    def _on_console(self, message: ConsoleMessage) -> None:
        self._counts["console"] += 1
        if len(self._console) < MAX_LINES:
            self._console.append({"type": message.type, "text": self._mask(message.text)[:MAX_LINE_CHARACTERS]})

    def _on_request(self, request: Request) -> None:
        if request.resource_type not in STREAMS:
            self._open.add(request)

    def _on_finish(self, request: Request) -> None:
        self._open.discard(request)

    def _on_response(self, response: Response) -> None:
        self._note_request(response.request, response.status, "")

    def _on_failure(self, request: Request) -> None:
        self._open.discard(request)
        self._note_request(request, 0, request.failure or "failed")

    def _note_request(self, request: Request, status: int, failure: str) -> None:
        self._counts["network"] += 1
        if len(self._network) < MAX_LINES:
            url = self._mask(request.url)[:MAX_LINE_CHARACTERS]
            asked = {"method": request.method, "url": url, "status": status}
            self._network.append({**asked, **({"error": failure} if failure else {})})

    def _on_dialog(self, dialog: Dialog) -> None:
        self._dialogs += 1
        self.note(f"{dialog.type}: {dialog.message}")
        if self._dialogs > MAX_DIALOGS:
            self._stop(f"the page opened more than {MAX_DIALOGS} dialogs")
        answer, self.answer = self.answer, None
        if answer is None:
            self._begin(dialog.accept())
            return
        self.dialogs.append(dialog.message)
        text = answer.text if dialog.type == "prompt" else None
        self._begin((dialog.accept() if text is None else dialog.accept(text)) if answer.accept else dialog.dismiss())

    def _on_download(self, download: Download) -> None:
        if len(self._downloads) >= MAX_DOWNLOADS:
            self.note(f"a download was cancelled, since there were {MAX_DOWNLOADS}")
            self._begin(download.cancel())
            return
        name = f"download-{len(self._downloads) + 1}-{_UNSAFE.sub('_', download.suggested_filename)[-80:]}"
        self._downloads.append(name)
        self.note(f"downloads {download.suggested_filename}, kept as {name}")
        self._begin(self._keep(download, name))

    async def _keep(self, download: Download, name: str) -> None:
        size = (await download.path()).stat().st_size
        if size > MAX_DOWNLOAD_BYTES:
            self.note(f"{name} has {size} bytes and is not kept")
            self._downloads.remove(name)
        else:
            await download.save_as(self._folder / name)
            self.downloads.append(download.suggested_filename)

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(_quietly(work))
        self._saving.add(task)
        task.add_done_callback(self._saving.discard)


async def _quietly(work: Any) -> None:
    from playwright.async_api import Error

    with contextlib.suppress(Error, OSError):
        await work
