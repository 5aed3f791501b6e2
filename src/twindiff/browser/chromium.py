"""Finds the Chromium that runs tests: the one named by the setting, else one on PATH, else Playwright's own."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

SETTING = "TWINDIFF_CHROMIUM"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
"""The headless shell comes first, since it needs a third of the CPU time to start."""
OF_PLAYWRIGHT = ("chromium_headless_shell-*/*/*headless*shell", "chromium-*/chrome-linux*/chrome")
MEND = "Install one (Debian: apt-get install chromium-headless-shell), or name it with TWINDIFF_CHROMIUM."
EXTRA = "Install the extra: pip install 'twindiff[browser]'."


class NoBrowser(RuntimeError):
    """Tests cannot be run in a browser here; the message says what to install."""


def chromium() -> str:
    """Return the path of the Chromium that runs tests; raises NoBrowser."""
    if not (find_spec("playwright") and find_spec("psutil")):
        raise NoBrowser(f"Test runs need Playwright, which is not installed. {EXTRA}")
    named = os.environ.get(SETTING, "")
    if named:
        if shutil.which(named) is None:
            raise NoBrowser(f"{SETTING} is '{named}', which is no program. {MEND}")
        return shutil.which(named) or named
    program = next((path for name in NAMES if (path := shutil.which(name))), None) or _of_playwright()
    if program is None:
        raise NoBrowser(f"Test runs need Chromium, and there is none on PATH. {MEND}")
    return program


def _of_playwright() -> str | None:
    """Return the newest Chromium that `playwright install` has downloaded, preferably the headless shell."""
    home = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    for pattern in OF_PLAYWRIGHT:
        if programs := sorted(home.glob(pattern), key=lambda path: path.stat().st_mtime):
            return str(programs[-1])
    return None


def arguments(proxy_port: int) -> list[str]:
    """Return the command line arguments of Chromium, which send all network traffic through the run's proxy."""
    quiet = [
        "--disable-quic",
        "--no-first-run",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-crash-reporter",
        "--disable-breakpad",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--dns-prefetch-disable",
        f"--proxy-server=http://127.0.0.1:{proxy_port}",
        "--proxy-bypass-list=<-loopback>",
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    ]
    # Chromium refuses to run as root with its sandbox; root runs it only on disposable machines.
    return [*quiet, "--no-sandbox"] if os.geteuid() == 0 else quiet
