"""`twindiff ca`: the certificate authority of the TLS door."""

from __future__ import annotations

import typer

from twindiff.cli.authority_folder import certificate_of
from twindiff.cli.command_group import CommandGroup
from twindiff.cli.options import DataDirectory

commands = typer.Typer(
    cls=CommandGroup, help="The certificate authority of the proxy for vendors' hosts.", no_args_is_help=True
)

HELP = """\
Programs trust the proxy of `twindiff serve --proxy-port` once they trust this certificate:

    {path}

`twindiff env exec` sets all of this for one command. By hand, set what the program reads:

    curl, Go, Ruby, OpenSSL     SSL_CERT_FILE={path}
    Python: requests            REQUESTS_CA_BUNDLE={path}
    Python: httplib2            HTTPLIB2_CA_CERTS={path}
    Node                        NODE_EXTRA_CA_CERTS={path}
    Java                        keytool -importcert -noprompt -cacerts -storepass changeit -file {path}
    Debian, Ubuntu              cp {path} /usr/local/share/ca-certificates/twindiff.crt && update-ca-certificates
    Fedora                      trust anchor {path}
    macOS                       security add-trusted-cert -k ~/Library/Keychains/login.keychain-db {path}

Anyone who has the key beside it can pretend to be any host to programs that trust the certificate. So prefer variables
for one command, and remove the certificate from a system after use.
"""


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="ca")


@commands.command("path")
def path(data_dir: DataDirectory = "") -> None:
    """Print the path of the certificate; create it if need be."""
    typer.echo(certificate_of(data_dir))


@commands.command("install-help")
def install_help(data_dir: DataDirectory = "") -> None:
    """Show how programs and systems learn to trust it."""
    typer.echo(HELP.format(path=certificate_of(data_dir)), nl=False)
