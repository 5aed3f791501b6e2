"""The upcoming cycles of teams.  https://linear.app/docs/use-cycles"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from twindiff.kit import Call, not_
from twindiff.kit.graphql.errors import InvalidInput

from ..model.issues import Issue
from ..model.teams import Team
from ..model.workflows import Cycle

MAX_UPCOMING_CYCLES = 10
_MONDAY = 1


def plan_cycles(call: Call, team: Any, since: str | None = None) -> None:
    """Create the upcoming cycles that a team is missing, in sequence. A sub-team copies those of its parent."""
    parent = call.db.find(Team.row, Team.row.id == team.parentId) if team.parentId else None
    if parent and parent.cyclesEnabled:
        _inherit(call, team, parent)
        return
    cycle, now = Cycle.row, call.clock.iso()
    kept = call.db.rows(cycle, cycle.teamId == team.id, cycle.archivedAt.is_null(), order=cycle.startsAt)
    ahead = sum(each.startsAt > now for each in kept)
    starts = _after(kept[-1], team) if kept and kept[-1].endsAt > now else _first_start(call, team, since)
    number = _last_number(call, team)
    for at in range(int(_upcoming(team)) - ahead):
        ends = starts + timedelta(weeks=team.cycleDuration or 1)
        _add(call, team, number + at + 1.0, _to_stored_instant(starts), _to_stored_instant(ends))
        starts = ends + timedelta(weeks=team.cycleCooldownTime)


def _upcoming(team: Any) -> float:
    if not 0 <= team.upcomingCycleCount <= MAX_UPCOMING_CYCLES:
        raise InvalidInput(f"upcomingCycleCount: a team has up to {MAX_UPCOMING_CYCLES} cycles ahead of it.")
    return team.upcomingCycleCount


def _inherit(call: Call, team: Any, parent: Any) -> None:
    cycle, now = Cycle.row, call.clock.iso()
    present = {each.inheritedFromId for each in call.db.rows(cycle, cycle.teamId == team.id)}
    ahead = call.db.rows(cycle, cycle.teamId == parent.id, cycle.endsAt > now, order=cycle.number)
    for each in ahead:
        if each.archivedAt is None and each.id not in present:
            _add(call, team, each.number, each.startsAt, each.endsAt, inheritedFromId=each.id, name=each.name)


def _add(call: Call, team: Any, number: float, starts: str, ends: str, **more: Any) -> None:
    now = call.clock.iso()
    fields = {"createdAt": now, "updatedAt": now, "teamId": team.id, "startsAt": starts, "endsAt": ends}
    call.db.add(Cycle.row(id=call.ids.uuid(), number=number, **fields, **more))


def _last_number(call: Call, team: Any) -> float:
    cycle = Cycle.row
    last = call.db.rows(cycle, cycle.teamId == team.id, order=-cycle.number, limit=1, columns=(cycle.number,))
    return last[0][0] if last else 0.0


def _after(cycle: Any, team: Any) -> datetime:
    """Return when the cycle after `cycle` starts."""
    return datetime.fromisoformat(cycle.endsAt).replace(tzinfo=UTC) + timedelta(weeks=team.cycleCooldownTime)


def _first_start(call: Call, team: Any, since: str | None) -> datetime:
    """Return the start of the first cycle: `since`, or midnight of the team's next start day in its time zone."""
    if since:
        return datetime.fromisoformat(since).replace(tzinfo=UTC)
    here = call.clock.now.replace(tzinfo=call.clock.now.tzinfo or UTC).astimezone(_zone(team))
    day = int(_MONDAY if team.cycleStartDay is None else team.cycleStartDay)
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight + timedelta(days=(day - here.isoweekday() % 7 - 1) % 7 + 1)).astimezone(UTC)


def _zone(team: Any) -> ZoneInfo:
    try:
        return ZoneInfo(team.timezone or "UTC")
    except (ValueError, OSError):
        raise InvalidInput(f"timezone: '{team.timezone}' is no time zone, such as America/Los_Angeles.") from None


def _to_stored_instant(instant: datetime) -> str:
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat()


def end_cycles(call: Call, team: Any) -> None:
    """Complete the current cycle of a team, and archive the upcoming ones after removing their issues."""
    cycle, issue, now = Cycle.row, Issue.row, call.clock.iso()
    for each in call.db.rows(cycle, cycle.teamId == team.id, cycle.endsAt > now, cycle.archivedAt.is_null()):
        if each.startsAt <= now:
            call.db.change(each, completedAt=now, endsAt=now, updatedAt=now)
            continue
        call.db.change(each, archivedAt=now, updatedAt=now)
        for row in call.db.rows(issue, issue.cycleId == each.id, not_(issue.cycleId.is_null())):
            call.db.change(row, cycleId=None, addedToCycleAt=None, updatedAt=now)
