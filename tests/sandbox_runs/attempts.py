# ruff: noqa: BLE001, PTH109, PTH110, PTH111, PTH116, PTH123, PTH208, PTH211, SIM115
"""An application that tries what the threat model forbids, and prints `DONE` or `REFUSED` with each attempt's name.

Its variables: `SERVER` is the process id of the server, `URL` its address, `DATA` the data directory, `OUTSIDE` a path
outside of all that it may write to, and `SHOWN` names the folders of homes that hold programs.
"""

import ctypes
import http.client
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.parse

libc = ctypes.CDLL(None, use_errno=True)
SERVER, DATA, OUTSIDE = int(os.environ["SERVER"]), os.environ["DATA"], os.environ["OUTSIDE"]
SHOWN = set(os.environ["SHOWN"].split())
URL = urllib.parse.urlsplit(os.environ["URL"])
OURSELVES = (
    "127.0.0.1",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "LocalHost",
    "x.localhost",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "127.0.0.2",
    "127.255.255.254",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
)
"""Spellings of this machine."""
MAX_PROCESSES = 3000


def fail(is_refused):
    """Raise OSError if an attempt that reports no error was in vain."""
    if is_refused:
        raise OSError("in vain")


def run(*command):
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def call(name, *arguments):
    if getattr(libc, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def control_server():
    """List environments by each spelling of the machine; the count of those that are answered."""
    reached = 0
    for host in OURSELVES:
        try:
            connection = http.client.HTTPConnection(host, URL.port, timeout=2)
            connection.request("GET", "/api/platform/env", headers={"Host": f"localhost:{URL.port}"})
            reached += connection.getresponse().status == 200
        except OSError:
            continue
    fail(not reached)


def fork():
    """Start processes until that is refused."""
    children = []
    try:
        for _ in range(MAX_PROCESSES):
            child = os.fork()
            if not child:
                signal.pause()
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def list_other_processes():
    own = {1, os.getpid(), os.getppid()}
    fail(not [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in own])


def list_homes():
    """List what is in homes, except programs that are shown, and the empty place of the server's user."""
    homes = ["/root", *(f"/home/{name}" for name in os.listdir("/home"))]
    fail(not [name for home in homes if os.access(home, os.R_OK) for name in os.listdir(home) if name not in SHOWN])


def trace_supervisor():
    """Attach to the first process of its namespace, which a server's user may do, for its capabilities."""
    with open("/proc/1/status") as status:
        has_none = "CapEff:\t0000000000000000" in status.read()
    call("ptrace", 16, 1, 0, 0)
    fail(has_none)


def has_status(line):
    with open("/proc/self/status") as status:
        return line in status.read()


def is_sandbox(name):
    return name.startswith("twindiff-sandbox-")


def mount_in_namespace():
    run("unshare", "--user", "--map-root-user", "--mount", "mount", "--bind", DATA, "/mnt")
    fail(not os.listdir(DATA))


ATTEMPTS = {
    "read the server's environment": lambda: open(f"/proc/{SERVER}/environ", "rb").read(),
    "read the server's memory": lambda: open(f"/proc/{SERVER}/mem", "rb").read(1),
    "read the server's open files": lambda: os.listdir(f"/proc/{SERVER}/fd"),
    "look into the server's root": lambda: os.listdir(f"/proc/{SERVER}/root"),
    "trace the server": lambda: call("ptrace", 16, SERVER, 0, 0),
    "see the server": lambda: os.stat(f"/proc/{SERVER}"),
    "see another process": list_other_processes,
    "kill the server": lambda: os.kill(SERVER, signal.SIGTERM),
    "kill its supervisor": lambda: (os.kill(1, signal.SIGKILL), fail(os.path.exists("/proc/1"))),
    "gain by tracing its supervisor": trace_supervisor,
    "list the data directory": lambda: fail(not os.listdir(DATA)),
    "list the data directory by a link": lambda: (os.symlink(DATA, "link"), fail(not os.listdir("link"))),
    "list the data directory by a mount": mount_in_namespace,
    "list other homes": list_homes,
    "list /tmp of the machine": lambda: fail(
        not [n for n in os.listdir("/tmp") if not n.startswith("twindiff-sandbox-")]
    ),
    "list other sandboxes": lambda: fail(len([n for n in os.listdir("/tmp") if n.startswith("twindiff-sandbox-")]) < 2),
    "mount": lambda: call("mount", b"none", b"/mnt", b"tmpfs", 0, None),
    "change its root": lambda: os.chroot("/tmp"),
    "make a device": lambda: os.mknod("device", 0o600 | 0o060000, os.makedev(8, 0)),
    "open a disk": lambda: open("/dev/vda", "rb"),
    "open the machine's memory": lambda: open("/dev/mem", "rb"),
    "read the kernel's log": lambda: call("klogctl", 3, ctypes.create_string_buffer(100), 100),
    "change a setting of the kernel": lambda: open("/proc/sys/kernel/core_pattern", "w"),
    "press a system key": lambda: open("/proc/sysrq-trigger", "w"),
    "load a module": lambda: call("syscall", 175, b"", 0, b""),
    "use bpf": lambda: call("syscall", 321, 0, ctypes.create_string_buffer(72), 72),
    "become root": lambda: fail(os.setuid(0) if os.getuid() else not has_status("CapEff:\t000001")),
    "gain by a setuid program": lambda: fail(has_status("NoNewPrivs:\t1")),
    "have capabilities": lambda: fail(has_status("CapEff:\t0000000000000000")),
    "set the clock": lambda: call("settimeofday", ctypes.create_string_buffer(16), None),
    "set the host's name": lambda: socket.sethostname("mine"),
    "open a raw socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "open a packet socket": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x0300),
    "listen on port 80": lambda: socket.create_server(("127.0.0.1", 80)),
    "reach the engine for containers": lambda: socket.socket(socket.AF_UNIX).connect("/run/podman/podman.sock"),
    "reach the system's bus": lambda: socket.socket(socket.AF_UNIX).connect("/run/dbus/system_bus_socket"),
    "write into the system": lambda: open("/usr/lib/written", "w"),
    "write outside": lambda: open(OUTSIDE, "w"),
    "start 3,000 processes": fork,
    "use the control plane, by 20 spellings": control_server,
    "write to its own folder": lambda: open("mine", "w"),
    "write to its home": lambda: open(os.path.expanduser("~/mine"), "w"),
    "write to /tmp": lambda: open("/tmp/mine", "w"),
    "share memory": lambda: __import__("multiprocessing").Lock(),
    "start a program": lambda: run(sys.executable, "-c", "pass"),
}


def main():
    for name, attempt in ATTEMPTS.items():
        try:
            attempt()
            print("DONE", name, flush=True)
        except Exception as error:
            print("REFUSED", name, type(error).__name__, error, flush=True)
    print("TRIED", os.getuid(), flush=True)


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({**os.environ, "cwd": os.getcwd()}).encode())


if __name__ == "__main__":
    main()
    http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Answers).serve_forever()
