"""A private PostgreSQL with logical WAL and wal2json, for development and tests: `postgres.py start [--fsync] | stop`.

It listens on a free loopback port, belongs to an unprivileged user and keeps its files in memory where there is room,
or where TMPDIR says. The last line of `start` is the administrator's connection string; a second `start` prints it
again. With `--fsync` its files are in the system's folder for temporary ones and survive a power cut.
"""

import hashlib
import json
import os
import pwd
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / ".tools" / "postgres.json"
MEMORY = Path("/dev/shm")
OLDEST = 15
SETTINGS = {
    "wal_level": "logical",
    "max_wal_senders": "64",
    "max_replication_slots": "256",  # of which each database takes one, and as many origins as five
    "max_connections": "300",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "listen_addresses": "127.0.0.1",
    "logging_collector": "off",
    "log_min_messages": "warning",
}


class Cluster(NamedTuple):
    """A cluster that was started from this checkout."""

    directory: str
    programs: str
    port: int
    dsn: str


def main(arguments: list[str]) -> None:
    """Do what the command line says."""
    if arguments in (["start"], ["start", "--fsync"]):
        start(is_synced="--fsync" in arguments)
    elif arguments == ["stop"]:
        stop()
    else:
        fail("Say `postgres.py start`, `postgres.py start --fsync` or `postgres.py stop`.")


def start(*, is_synced: bool) -> None:
    """Start the cluster, or find it running."""
    cluster = read_state()
    if cluster and is_up(cluster):
        print(cluster.dsn)
        return
    if cluster and Path(cluster.directory).is_dir():
        control(cluster, "start")
    else:
        cluster = make(programs(), is_synced=is_synced)
        remember(cluster)
    print(f"PostgreSQL runs in {cluster.directory}; `make postgres-stop` ends it and removes its files.")
    print(cluster.dsn)


def stop() -> None:
    """End the cluster and remove its files."""
    cluster = read_state()
    if cluster is None:
        print("No PostgreSQL was started from this checkout.")
        return
    remove(cluster)
    STATE.unlink()
    print("PostgreSQL is stopped and its files are removed.")


def read_state() -> Cluster | None:
    """What an earlier start wrote down."""
    return Cluster(**json.loads(STATE.read_text())) if STATE.exists() else None


def is_up(cluster: Cluster) -> bool:
    """Whether the cluster's own server answers; its port may be another's by now."""
    return as_owner([f"{cluster.programs}/pg_ctl", "-D", cluster.directory, "status"], check=False).returncode == 0


def make(where: Path, *, is_synced: bool = False) -> Cluster:
    """Make a cluster from nothing and start it."""
    password = secrets.token_urlsafe(18)
    port = free_port()
    # Each database is a thousand files, which disks make slowly where as many have just been removed.
    parent = None if is_synced or "TMPDIR" in os.environ or not has_room(MEMORY) else MEMORY
    name = f"twindiff-postgres-{hashlib.sha256(bytes(ROOT)).hexdigest()[:8]}-"
    directory = Path(tempfile.mkdtemp(prefix=name, dir=parent))
    secret = directory / "password"
    secret.write_text(password)
    hand_over(directory, secret)
    data = str(directory / "data")
    words = f"-U postgres -A scram-sha-256 --pwfile={secret} --encoding=UTF8 --locale=C"
    as_owner([f"{where}/initdb", "-D", data, *words.split()])
    places = {"port": str(port), "unix_socket_directories": str(directory)}
    settings = {**SETTINGS, **places, "fsync": "on" if is_synced else "off"}
    lines = [f"{name} = '{value}'" for name, value in settings.items()]
    as_owner(["tee", "-a", f"{data}/postgresql.conf"], given="\n".join(["", *lines, ""]))
    cluster = Cluster(data, str(where), port, f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres")
    control(cluster, "start")
    return cluster


def has_room(folder: Path) -> bool:
    """Whether there is room for what all tests write, a GB or two and what browsers need, and programs may be run."""
    if not folder.is_dir():
        return False
    volume = os.statvfs(folder)
    return volume.f_bavail * volume.f_frsize > 4 << 30 and not volume.f_flag & os.ST_NOEXEC


def remember(cluster: Cluster) -> None:
    """Write down what was started, for the next call."""
    STATE.parent.mkdir(exist_ok=True)
    STATE.write_text(json.dumps(cluster._asdict()))
    STATE.chmod(0o600)


def remove(cluster: Cluster) -> None:
    """End a cluster and remove its files."""
    if is_up(cluster):
        control(cluster, "stop", "-m", "fast")
    shutil.rmtree(Path(cluster.directory).parent, ignore_errors=True)


def control(cluster: Cluster, *action: str) -> None:
    """Tell a cluster what to do, and wait until it has."""
    log = f"{cluster.directory}/server.log"
    as_owner([f"{cluster.programs}/pg_ctl", "-D", cluster.directory, "-l", log, "-w", "-t", "300", *action])


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def owner() -> str | None:
    """The user that the server runs as, where that is not oneself: PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return None
    names = {user.pw_name for user in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def hand_over(*paths: Path) -> None:
    """Give files to the server's user."""
    user = owner()
    for path in paths if user else ():
        shutil.chown(path, user)


def as_owner(command: list[str], *, given: str = "", check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a program as the server's user; its words are shown only when it fails."""
    user = owner()
    # pg_ctl leaves the server behind with our pipes open, so words go to a file.
    with tempfile.TemporaryFile("w+") as words:
        done = subprocess.run(
            command,
            input=given,
            text=True,
            stdout=words,
            stderr=words,
            user=user,
            cwd="/",
            check=False,
            env=environment(),
        )
        words.seek(0)
        if check and done.returncode:
            fail(f"{' '.join(command)} failed:\n{words.read()}")
    return done


def environment() -> dict[str, str]:
    """The environment of PostgreSQL's programs: no setting of the caller's own clients."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("PG")}, "LC_ALL": "C"}


def programs() -> Path:
    """The folder of a recent PostgreSQL's programs that has wal2json; on Debian it is installed when there is none."""
    folder = find()
    if folder is None and shutil.which("apt-get") and os.getuid() == 0:
        install()
        folder = find()
    if folder is None:
        fail(
            f"There is no PostgreSQL {OLDEST} or later with wal2json here. Install both; on Debian and Ubuntu: "
            "apt-get install postgresql postgresql-NN-wal2json, where NN is PostgreSQL's version."
        )
    return folder


def find() -> Path | None:
    """The newest installation that will do."""
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    if config := shutil.which("pg_config"):
        folders.append(Path(output(config, "--bindir")))
    usable = [(version_of(folder), folder) for folder in folders if will_do(folder)]
    return max(usable)[1] if usable else None


def version_of(folder: Path) -> int:
    """The major version of an installation; nothing when it is none."""
    match = re.search(r"\d+", output(f"{folder}/postgres", "--version")) if (folder / "postgres").exists() else None
    return int(match[0]) if match else 0


def will_do(folder: Path) -> bool:
    """Whether an installation is recent and has wal2json."""
    return version_of(folder) >= OLDEST and any((each / "wal2json.so").exists() for each in libraries(folder))


def libraries(folder: Path) -> list[Path]:
    """Where an installation keeps its plugins."""
    config = folder / "pg_config"
    named = [Path(output(str(config), "--pkglibdir"))] if config.exists() else []
    return [*named, folder.parent / "lib", folder.parent / "lib" / "postgresql"]


def install() -> None:
    """Install Debian's PostgreSQL and its wal2json."""
    print("Installing PostgreSQL and wal2json with apt-get", flush=True)
    apt("update")
    listed = output("apt-cache", "search", "--names-only", "^postgresql-[0-9]+-wal2json$")
    versions = [int(number) for number in re.findall(r"^postgresql-(\d+)-wal2json", listed, re.MULTILINE)]
    if not versions or max(versions) < OLDEST:
        fail(f"Debian's packages here have no wal2json for PostgreSQL {OLDEST} or later.")
    apt(
        "install",
        "-y",
        "--no-install-recommends",
        f"postgresql-{max(versions)}",
        f"postgresql-{max(versions)}-wal2json",
    )


def apt(*arguments: str) -> None:
    """Run apt-get."""
    variables = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(["apt-get", "-qq", *arguments], env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        fail(f"apt-get {' '.join(arguments)} failed: {done.stderr.strip()}")


def output(*command: str) -> str:
    """What a program prints."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def fail(line: str) -> NoReturn:
    """End with one line and 1."""
    print(line, file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
