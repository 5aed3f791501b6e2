"""One server in this process: its socket, its data, its HTTP."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

import apsw
import uvicorn

from twindiff.cli.problem import Problem
from twindiff.server import Gateway, Service, Settings
from twindiff.server.protocol import LARGEST_FRAME, HttpProtocol
from twindiff.storage import DataDirectoryInUse, NotServed, WrongStorage

BACKLOG = 2048


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, so that whoever asks from now on is answered; port 0 takes any that is free."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        raise Problem(_why_not(host, port, error)) from None


def _why_not(host: str, port: int, error: Exception) -> str:
    code = getattr(error, "errno", None)
    if code == errno.EADDRINUSE:
        return f"Port {port} of {host} is taken. Choose another with --port; --port 0 takes any that is free."
    if code == errno.EACCES:
        return f"Port {port} may not be used without privileges. Choose one above 1023 with --port."
    return f"Cannot listen on {host} port {port}: {error}. Choose others with --host and --port."


def url_of(listener: socket.socket) -> str:
    """The address that clients use."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def open_service(settings: Settings) -> Service:
    """Everything behind the HTTP; a Problem says why it cannot be opened."""
    try:
        return Service(settings)
    except WrongStorage as wrong:
        raise Problem(str(wrong)) from None
    except NotServed as error:
        raise Problem(f"{error}.") from None
    except DataDirectoryInUse as taken:
        raise Problem(f"{taken}. Stop that one, or choose another folder with --data-dir.") from None
    except (OSError, apsw.Error) as error:
        raise Problem(
            f"The data directory {settings.data_dir} cannot be used: {error}. Choose another with --data-dir."
        ) from None


def server_for(service: Service) -> uvicorn.Server:
    """The HTTP server: one process, one event loop."""
    return uvicorn.Server(
        uvicorn.Config(
            Gateway(service),
            http=HttpProtocol,
            access_log=False,
            date_header=False,
            log_config=None,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=5,
            ws="websockets-sansio",
            ws_max_size=LARGEST_FRAME,
        )
    )


@contextmanager
def running(settings: Settings) -> Generator[str]:
    """A server in a thread of this process for as long as the block runs; gives its address."""
    service = open_service(settings)
    server = server_for(service)
    with listen("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=server.run, args=([listener],), name="twindiff server")
        thread.start()
        try:
            yield url_of(listener)
        finally:
            server.should_exit = True
            thread.join()
