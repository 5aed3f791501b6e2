"""Application commands, of an application and of it in a guild; a name is there once for each type.

https://docs.discord.com/developers/interactions/application-commands
"""

from __future__ import annotations

from typing import Annotated, Any, cast

from twindiff.drafts.drafting import Draft
from twindiff.kit.call import Call
from twindiff.kit.errors import InvalidParameter, NotFound
from twindiff.kit.http import ValueResponse
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .refusals import InvalidFormBody

API = "/api/v10"
OWN = "/applications/{application_id}/commands"
IN_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"
CHAT_INPUT = 1
MAX_COMMANDS = 110
"""The most that one overwriting may give: 100 for the chat input and 5 of each other kind."""


class ApplicationCommands:
    """The handlers, over the tables of a draft; `guild_id` is empty for the commands of the application itself."""

    def __init__(self, draft: Draft) -> None:
        self._draft, self._command = draft, draft.row("application_commands")

    def declare(self) -> Operations:
        """Return the operations with their paths."""
        api = Operations(prefix=API)
        for path in (OWN, IN_GUILD):
            api.get(path)(self.list_commands)
            api.post(path)(self.create_command)
            api.put(path)(self.overwrite_commands)
            api.get(path + "/{command_id}")(self.get_command)
            api.patch(path + "/{command_id}")(self.update_command)
            api.delete(path + "/{command_id}", status=204)(self.delete_command)
        return api

    def list_commands(self, call: Call, application_id: str, guild_id: str = "") -> list[Any]:
        """List the commands."""
        rows = call.db.rows(self._command, *self._conditions(application_id, guild_id))
        return [self._show(call, each) for each in rows]

    def create_command(
        self, call: Call, application_id: str, guild_id: str = "", body: Annotated[Any, Body] = None
    ) -> Any:
        """Create a command, or overwrite the one of its name."""
        row, is_new = self._write(call, application_id, guild_id, body)
        return ValueResponse(self._show(call, row), 201 if is_new else 200)

    def overwrite_commands(
        self, call: Call, application_id: str, guild_id: str = "", body: Annotated[Any, Body] = None
    ) -> list[Any]:
        """Replace the commands; those with a known name keep their id."""
        listed: list[Any] = cast(list[Any], body) if isinstance(body, list) else [{}]
        if len(listed) > MAX_COMMANDS:
            raise InvalidParameter("", f"Must be {MAX_COMMANDS} or fewer in length.")
        written = [self._write(call, application_id, guild_id, each)[0] for each in listed]
        kept = {each.id for each in written}
        for each in call.db.rows(self._command, *self._conditions(application_id, guild_id)):
            if each.id not in kept:
                call.db.remove(each)
        return [self._show(call, each) for each in written]

    def get_command(self, call: Call, application_id: str, command_id: str, guild_id: str = "") -> Any:
        """Return a command."""
        return self._show(call, self._find(call, application_id, guild_id, command_id))

    def update_command(
        self, call: Call, application_id: str, command_id: str, guild_id: str = "", body: Annotated[Any, Body] = None
    ) -> Any:
        """Change a command."""
        return self._show(call, self._change(call, self._find(call, application_id, guild_id, command_id), body))

    def delete_command(self, call: Call, application_id: str, command_id: str, guild_id: str = "") -> None:
        """Delete a command."""
        call.db.remove(self._find(call, application_id, guild_id, command_id))

    def _conditions(self, application_id: str, guild_id: str) -> list[Any]:
        row = self._command
        return [row.application_id == application_id, row.guild_id == guild_id if guild_id else row.guild_id.is_null()]

    def _find(self, call: Call, application_id: str, guild_id: str, command_id: str) -> Any:
        row = call.db.find(self._command, self._command.id == command_id, *self._conditions(application_id, guild_id))
        if row is None:
            raise NotFound("application command", command_id)
        return row

    def _write(self, call: Call, application_id: str, guild_id: str, body: Any) -> tuple[Any, bool]:
        """Create a command or change the one of its name and type; return its row and whether it is new."""
        given = cast(dict[str, Any], body) if isinstance(body, dict) else {}
        kind, row = given.get("type") or CHAT_INPUT, self._command
        if kind == CHAT_INPUT and not given.get("description"):
            raise InvalidFormBody("description", "BASE_TYPE_REQUIRED", "This field is required")
        same = [row.name == str(given.get("name")), row.type == kind]
        known = call.db.find(row, *same, *self._conditions(application_id, guild_id))
        if known is not None:
            return self._change(call, known, {name: each for name, each in given.items() if name != "type"}), False
        where = {"application_id": application_id, **({"guild_id": guild_id} if guild_id else {})}
        made = self._draft.serve(call, f"POST {API}{IN_GUILD if guild_id else OWN}", where, given)
        return call.db.get(row, made.value["id"]), True

    def _change(self, call: Call, row: Any, body: Any) -> Any:
        where = {"application_id": row.application_id, "command_id": row.id}
        where |= {"guild_id": row.guild_id} if row.guild_id else {}
        path = f"{IN_GUILD if row.guild_id else OWN}/{{command_id}}"
        version = {"version": str(call.db.next("snowflake", at_least=int(row.id)))}
        self._draft.serve(call, f"PATCH {API}{path}", where, body, fields=version)
        return call.db.get(self._command, row.id)

    def _show(self, call: Call, row: Any) -> Any:
        return self._draft.show(call, row, f"GET {API}{OWN}/{{command_id}}")
