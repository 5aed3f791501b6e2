"""A server in a process of its own, to be killed: `python child.py SOCKET DATA_DIR`."""

import socket
import sys

import uvicorn

from twindiff.server import Gateway, Service, Settings


def main(descriptor: str, data_dir: str) -> None:
    listener = socket.socket(fileno=int(descriptor))
    config = uvicorn.Config(Gateway(Service(Settings(data_dir=data_dir))), log_level="warning", access_log=False)
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
