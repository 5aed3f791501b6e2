"""Make `.venv` exactly as uv.lock says, with nothing but the standard library of Python 3.11 or later.

Usage: `python3 bootstrap.py GROUP…`, where a group is one of `[dependency-groups]` in pyproject.toml. `$TWINDIFF_VENV`
names another folder than `.venv`.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - before anything that an older Python lacks is imported
    this = ".".join(map(str, sys.version_info[:2]))
    sys.exit(
        f"Twindiff needs Python 3.11 or later; {sys.executable} is {this}. Install a newer one, or give its path: "
        "make demo PYTHON=/path/to/python3"
    )

import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import ssl
import subprocess
import tempfile
import tomllib
import urllib.error
import urllib.request
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent
TOOLS = ROOT / ".tools"
VENV = ROOT / os.environ.get("TWINDIFF_VENV", ".venv")
STAMP = VENV / "complete.json"
BASE_PYTHON: str = getattr(sys, "_base_executable", "") or sys.executable


class State(NamedTuple):
    """What a finished `.venv` was made from; it is written last, so its presence means the rest is whole."""

    home: str
    locked: str
    groups: list[str]


def main(groups: list[str]) -> None:
    """Bring `.venv` to what the lock says for these groups, and for those that it holds already."""
    if covers(read_stamp(), wanted_state(groups)):
        return
    with alone():
        have, want = read_stamp(), wanted_state(groups)
        if not covers(have, want):
            make(have, want)


def wanted_state(groups: list[str]) -> State:
    """The state that a set-up done now would leave."""
    home = f"{ROOT} {sys.base_prefix} {platform.python_version()}"
    inputs = (ROOT / "uv.lock", ROOT / "pyproject.toml", Path(__file__))
    return State(home, hashlib.sha256(b"".join(path.read_bytes() for path in inputs)).hexdigest(), groups)


def read_stamp() -> State | None:
    """The state of `.venv`, or None when it is absent or only half made."""
    try:
        return State(**json.loads(STAMP.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def covers(have: State | None, want: State) -> bool:
    """Whether nothing needs to be done."""
    return have is not None and have[:2] == want[:2] and set(want.groups) <= set(have.groups)


@contextmanager
def alone() -> Generator[None]:
    """Hold the checkout's set-up lock; a second set-up waits here and then finds the work done."""
    TOOLS.mkdir(exist_ok=True)
    with (TOOLS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(have: State | None, want: State) -> None:
    """Create or update `.venv` and stamp it; an interruption leaves no stamp, and the next run starts afresh."""
    environment = uv_environment()
    uv = locked_uv()
    reusable = have is not None and have.home == want.home
    kept: list[str] = have.groups if have and reusable else []
    groups = sorted({*want.groups, *kept})
    wanted = f"Python {platform.python_version()}; {', '.join(groups) or 'runtime only'}"
    say(f"setting up {VENV.relative_to(ROOT)} ({wanted})")
    STAMP.unlink(missing_ok=True)
    if not reusable:
        run(uv, "venv", "--quiet", "--clear", "--python", BASE_PYTHON, str(VENV), env=environment)
    install(uv, groups, environment)
    partial = STAMP.with_suffix(".partial")
    partial.write_text(json.dumps(want._replace(groups=groups)._asdict()))
    partial.replace(STAMP)


def install(uv: Path, groups: list[str], environment: dict[str, str]) -> None:
    """Install the locked packages by hash from the machine's own index, then this checkout in place."""
    chosen = [flag for group in groups for flag in ("--group", group)]
    only = ["--frozen", "--no-emit-project", "--no-default-groups", *chosen]
    pins = run(uv, "export", "--quiet", "--project", str(ROOT), *only, env=environment)
    target = ["--quiet", "--python", str(VENV / "bin" / "python")]
    run(uv, "pip", "sync", *target, "--require-hashes", "-", env=environment, stdin=pins)
    run(uv, "pip", "install", *target, "--no-deps", "--editable", str(ROOT), env=environment)


def uv_environment() -> dict[str, str]:
    """This process's environment, with what pip is told of index, proxy and certificates said to uv too."""
    settings = pip_settings()
    told = {
        "ALL_PROXY": settings.get("proxy"),
        "SSL_CERT_FILE": settings.get("cert"),
        "UV_DEFAULT_INDEX": None if "UV_INDEX_URL" in os.environ else settings.get("index-url"),
        "UV_SYSTEM_CERTS": "1" if has_certificates() else None,
        "UV_HTTP_TIMEOUT": "300",  # a busy machine may hear nothing for the thirty seconds that are usual
        "UV_HTTP_RETRIES": "10",
    }
    rules = {"UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1"}
    return {name: value for name, value in told.items() if value} | dict(os.environ) | rules


def has_certificates() -> bool:
    """Whether the machine has authorities of its own (a bare Debian has none; uv then uses those it brings)."""
    return sys.platform == "darwin" or any(Path("/etc/ssl/certs").glob("*"))


def pip_settings() -> dict[str, str]:
    """What `pip config list` says, by option name; nothing on a machine without pip."""
    listed = subprocess.run([BASE_PYTHON, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    return dict(re.findall(r"^(?:global|install|:env:)\.([\w-]+)='(.*)'$", listed.stdout, re.MULTILINE))


def locked_uv() -> Path:
    """The uv that uv.lock names, fetched once and checked against its hash."""
    lock = tomllib.loads((ROOT / "uv.lock").read_text())
    package = next(package for package in lock["package"] if package["name"] == "uv")
    uv = TOOLS / f"uv-{package['version']}"
    if not uv.exists():
        say(f"fetching uv {package['version']}")
        with tempfile.TemporaryDirectory(dir=TOOLS) as folder:
            wheel = pip_download(package, Path(folder)) or direct_download(package, Path(folder))
            unpack(wheel, uv)
    return uv


def pip_download(package: dict[str, Any], folder: Path) -> Path | None:
    """The wheel through pip, which knows the machine's index, proxy and certificates; None without a working pip."""
    hashes = "".join(f" --hash={wheel['hash']}" for wheel in package["wheels"])
    (folder / "uv.txt").write_text(f"uv=={package['version']}{hashes}\n")
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes", "--dest", str(folder)]
    command = [BASE_PYTHON, "-m", "pip", "download", *options, "-r", str(folder / "uv.txt")]
    subprocess.run(command, capture_output=True, check=False)
    return next(folder.glob("*.whl"), None)


def direct_download(package: dict[str, Any], folder: Path) -> Path:
    """The wheel from the address in the lock."""
    wheel = wheel_for_this_machine(package["wheels"])
    data = fetch(wheel["url"])
    if f"sha256:{hashlib.sha256(data).hexdigest()}" != wheel["hash"]:
        sys.exit(f"{wheel['url']} is not the file that uv.lock names: its SHA-256 differs. Nothing was installed.")
    path = folder / Path(wheel["url"]).name
    path.write_bytes(data)
    return path


def wheel_for_this_machine(wheels: list[dict[str, Any]]) -> dict[str, Any]:
    """The locked wheel for this system, processor and C library."""
    libc = "manylinux" if platform.libc_ver()[0] == "glibc" else "musllinux"
    system = "macosx" if sys.platform == "darwin" else libc
    fits = re.compile(rf"[-.]{system}[^-.]*_{platform.machine()}\b")
    for wheel in wheels:
        if fits.search(Path(wheel["url"]).name):
            return wheel
    sys.exit(f"uv.lock has no uv for {system} on {platform.machine()}. Install pip for {BASE_PYTHON} and try again.")


def fetch(url: str) -> bytes:
    """The bytes at a public address."""
    try:
        return download(url, ssl.create_default_context())
    except urllib.error.URLError as error:
        if not isinstance(error.reason, ssl.SSLCertVerificationError):
            sys.exit(f"Could not fetch {url}: {error.reason}. Set-up needs the network once.")
    # A bare Debian has no certificate authorities; the locked hash, not the connection, says that the file is right.
    return download(url, ssl._create_unverified_context())  # noqa: S323  # pyright: ignore[reportPrivateUsage]


def download(url: str, context: ssl.SSLContext) -> bytes:
    """One GET."""
    with urllib.request.urlopen(url, context=context) as answer:
        return answer.read()


def unpack(wheel: Path, uv: Path) -> None:
    """Take the one program out of uv's wheel; it appears under its name only when it is whole."""
    partial = uv.with_suffix(".partial")
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".data/scripts/uv"))
        with archive.open(name) as source, partial.open("wb") as target:
            shutil.copyfileobj(source, target)
    partial.chmod(0o755)
    partial.replace(uv)


def run(*command: str | Path, env: dict[str, str], stdin: str | None = None) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(command, env=env, input=stdin, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"Set-up stopped: `{' '.join(map(str, command[:3]))} …` failed. Run it again when the cause is gone.")
    return done.stdout


def say(text: str) -> None:
    """One line of progress."""
    print(f"twindiff: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sorted(sys.argv[1:]))
