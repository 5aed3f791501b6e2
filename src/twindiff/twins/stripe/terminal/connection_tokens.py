"""Connection tokens: short-lived secrets by which Terminal's SDKs connect to a reader.

https://docs.stripe.com/api/terminal/connection_tokens
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Operations

from ..core.objects import Fields, new_id
from ..core.params import OptName, Params
from .locations import existing_location

api = Operations(prefix="/v1/terminal/connection_tokens")

SECRET_CHARACTERS = 23


class CreateToken(Params):
    """The location whose readers the token is for; without one it is for all."""

    location: OptName = UNSET


@api.post("")
def create_connection_token(call: Call, params: Annotated[CreateToken, Body]) -> Fields:
    """Create a connection token, which no later request can retrieve."""
    made = {"object": "terminal.connection_token", "secret": new_id(call, "pst_test_", SECRET_CHARACTERS)}
    if params.location:
        made["location"] = existing_location(call, params.location).id
    return made
