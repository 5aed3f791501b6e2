"""Makes the entities of a prompt's groups: those it names, then those it describes, then bare numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from twindiff.server.apis.twin_runs.world_prompt_choices import PromptChoices
from twindiff.server.apis.twin_runs.world_prompt_details import Price
from twindiff.server.apis.twin_runs.worlds import email_of

from .entity_names import EntityNames
from .groups import SpokenGroup
from .kinds import World, WorldEntity
from .vendors import KINDS, VENDORS, homes_of


def build_config(prompt: str, groups: Sequence[SpokenGroup], named: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """Build the seed configuration of the twins that groups speak of, and of those that are only named."""
    builder = EntityBuilder(prompt)
    entities = builder.build(groups)
    twins = dict.fromkeys([*(KINDS[group.kind].twin for group in groups), *named])
    world = World(entities, builder.people())
    return {twin: VENDORS[twin].write(world) for twin in twins}


class EntityBuilder:
    """Makes entities, each of them once."""

    def __init__(self, prompt: str) -> None:
        self._choice = PromptChoices(prompt)
        self._names = EntityNames(self._choice)
        self._groups: Sequence[SpokenGroup] = ()
        self._entities: list[WorldEntity] = []
        self._made: dict[int, list[WorldEntity]] = {}
        """The entities of each group, by its `id`."""
        self._claimed: set[int] = set()
        """The `id` of entities that a number of described records is about."""
        self._closed: set[tuple[int, str]] = set()
        """Entities, by `id`, of whose contents of a kind the prompt says the number."""
        self._people: dict[str, str] = {}
        """The email address of each person, by name; empty for a default one."""
        self._known_as: dict[str, str] = {}

    def build(self, groups: Sequence[SpokenGroup]) -> list[WorldEntity]:
        """The entities of all groups."""
        self._groups = groups
        for group in groups:
            self._add_people(group)
        for group in sorted(groups, key=_turn):
            self._resolve(group)
        for group in groups:
            if group.whole is not None:
                self._describe_others(group, self._resolve(group.whole))
        for entity in [*self._entities]:
            self._house(entity)
        for group in groups:
            if group.kind.endswith(".user") and group.is_exact and not group.within and not group.whole:
                self._fill_people(group.count or 0)
        return self._entities

    def people(self) -> list[dict[str, str]]:
        """The people of the world, as users of seed configurations."""
        return [{"name": name, **({"email": email} if email else {})} for name, email in self._people.items()]

    # People

    def _add_people(self, group: SpokenGroup) -> None:
        if group.kind.endswith(".user"):
            for name in group.names:
                self._person(name)
        for field in KINDS[group.kind].fields:
            if field.form == "person" and group.fields.get(field.name):
                self._person(group.fields[field.name])

    def _person(self, said: str) -> str:
        """The name of a person who is named by name or address, and who is added."""
        key = said.casefold()
        if key not in self._known_as:
            email = said if "@" in said else email_of(said)
            name = said.partition("@")[0].replace(".", " ").title() if "@" in said else said
            same = next(
                (known for known, address in self._people.items() if address.casefold() == email.casefold()), None
            )
            taken = same is None and any(known.casefold() == name.casefold() for known in self._people)
            name = same or (said if taken else name)
            self._people.setdefault(name, email)
            self._known_as[key] = name
        return self._known_as[key]

    def _fill_people(self, count: int) -> None:
        number = 0
        while len(self._people) < min(count, 100):
            person = self._choice.person(number)
            self._people.setdefault(person["name"], person["email"])
            number += 1

    def _members(self, group: SpokenGroup, homes: Sequence[WorldEntity]) -> list[WorldEntity]:
        """Put people into the records that they belong to."""
        names = [self._person(name) for name in group.names]
        made: list[WorldEntity] = []
        for home in homes:
            inside = [each for each in self._entities if each.kind == group.kind and home in each.places]
            wanted = max(group.count or 0, len(names)) or 1
            known = [each.name for each in inside]
            chosen = [*names, *(each for each in self._people if each not in names and each not in known)]
            extra = wanted if names else wanted - len(inside)
            if len(chosen) < extra:
                self._fill_people(len(self._people) + extra - len(chosen))
                chosen = [*names, *(each for each in self._people if each not in names and each not in known)]
            for name in chosen[: max(extra, len(names))]:
                email = self._people[name]
                made.append(self._add(WorldEntity(group.kind, name, places=[home], aliases=(email,) if email else ())))
                made[-1].fields.update(group.fields)
        return made

    # Groups

    def _resolve(self, group: SpokenGroup) -> list[WorldEntity]:
        """The entities of a group."""
        if id(group) not in self._made:
            self._made[id(group)] = []
            self._made[id(group)] = self._make(group)
        return self._made[id(group)]

    def _make(self, group: SpokenGroup) -> list[WorldEntity]:
        homes = [self._resolve(each) for each in group.within]
        if group.whole is not None:
            entities = self._choose_part(group, self._resolve(group.whole))
        elif group.like is not None:
            entities = self._resolve(group.like)
        elif group.kind.endswith(".user"):
            return self._members(group, homes[0]) if homes else []
        else:
            return self._fill(group, homes)
        for entity in entities:
            self._describe(entity, group)
            self._put(entity, [each[:1] for each in homes if each])
        for number, name in enumerate(group.names[: len(entities)]):
            entities[number].name = name
        return entities

    def _fill(self, group: SpokenGroup, homes: Sequence[Sequence[WorldEntity]]) -> list[WorldEntity]:
        """The named entities of a group, and as many more as it wants."""
        if group.is_all:
            return self._all_of(group, homes)
        named = [
            self._ensure_named(group, name, [[each[at % len(each)]] for each in homes if each])
            for at, name in enumerate(group.names)
        ]
        if group.names and not (group.is_exact and (group.count or 0) > len(named)):
            return named
        main = max(homes, key=len, default=list[WorldEntity]())
        others = [each[:1] for each in homes if each is not main]
        is_per_home = group.is_each or not group.is_exact or any(each.is_all for each in group.within)
        if main and is_per_home:
            return [each for home in main for each in self._ensure(group, named, [[home], *others])]
        if len(main) > 1:
            return self._spread(group, main, others)
        return self._ensure(group, named, [main, *others] if main else others)

    def _all_of(self, group: SpokenGroup, homes: Sequence[Sequence[WorldEntity]]) -> list[WorldEntity]:
        """All entities of a kind in any of these places; some are made if there are none."""
        for each in self._groups:
            if each.kind == group.kind and not each.is_all and each is not group:
                self._resolve(each)
        entities = [each for each in self._entities if each.kind == group.kind]
        places = [each for home in homes for each in home]
        entities = [each for each in entities if not places or any(place in each.surroundings() for place in places)]
        return entities or self._ensure(SpokenGroup(group.kind, 2, is_plural=True), [], [each[:1] for each in homes])

    def _ensure_named(self, group: SpokenGroup, name: str, homes: Sequence[Sequence[WorldEntity]]) -> WorldEntity:
        """The entity of a name, which is made if there is none."""
        places = [each[0] for each in homes]
        same = None
        for each in self._entities:
            if each.kind == group.kind and each.is_called(name) and self._agrees(each, places, group):
                same = each
                break
        entity = same or self._add(WorldEntity(group.kind, name, aliases=(name,) if "@" in name else ()))
        if "@" in name and same is None:
            entity.name = name.partition("@")[0].replace(".", " ").title()
        self._describe(entity, group)
        self._put(entity, homes)
        return entity

    def _agrees(self, entity: WorldEntity, places: Sequence[WorldEntity], group: SpokenGroup) -> bool:
        """Whether an entity of a name may be the one that is meant: it is in no other place."""
        if KINDS[group.kind].is_text and not places:
            return False
        return all(entity.place(place.kind) in (None, place) or place.kind == entity.kind for place in places)

    def _ensure(
        self, group: SpokenGroup, named: list[WorldEntity], homes: Sequence[Sequence[WorldEntity]]
    ) -> list[WorldEntity]:
        """The entities of a number, of which those that are there already count."""
        places = [each[0] for each in homes if each]
        for place in places:
            if group.is_exact:
                self._closed.add((id(place), group.kind))
        chosen = [*named]
        if group.is_exact:
            is_bare = not (group.fields or group.holds or places)
            chosen += [
                each
                for each in self._entities
                if each not in named
                and each.kind == group.kind
                and self._has(each, group)
                and all(_is_in(each, place) for place in places)
                and (is_bare or id(each) not in self._claimed)
            ]
        wanted = group.count if group.count is not None else (2 if group.is_plural else 1)
        chosen = chosen[: max(wanted, len(named))] if group.holds else chosen
        most = KINDS[group.kind].most - sum(each.kind == group.kind for each in self._entities)
        for _ in range(min(wanted - len(chosen), most)):
            entity = self._add(WorldEntity(group.kind))
            self._put(entity, homes)
            self._describe(entity, group)
            self._add_implied(entity)
            entity.name = self._names.make(entity, self._entities)
            chosen.append(entity)
        if group.fields or group.holds:
            self._claimed |= {id(each) for each in chosen}
        return chosen

    def _has(self, entity: WorldEntity, group: SpokenGroup) -> bool:
        return all(entity.fields.get(name) == value for name, value in group.fields.items())

    def _spread(
        self, group: SpokenGroup, main: Sequence[WorldEntity], others: Sequence[Sequence[WorldEntity]]
    ) -> list[WorldEntity]:
        """Distribute a number over several homes."""
        made: list[WorldEntity] = []
        for at in range(min(group.count or 1, KINDS[group.kind].most)):
            entity = self._add(WorldEntity(group.kind))
            self._put(entity, [[main[at % len(main)]], *others])
            self._describe(entity, group)
            self._add_implied(entity)
            entity.name = self._names.make(entity, self._entities)
            made.append(entity)
        return made

    def _choose_part(self, part: SpokenGroup, whole: Sequence[WorldEntity]) -> list[WorldEntity]:
        """The entities of a part: such that are in no other part, and have no other value of its fields."""
        taken = self._list_taken(part)
        able = [
            each
            for each in whole
            if all(each.fields.get(name, value) == value for name, value in self._plain_fields(part).items())
        ]
        free = [each for each in able if id(each) not in taken]
        rest = [each for each in able if id(each) in taken]
        chosen = [*free, *([] if part.is_rest else rest)][: part.count or 0]
        return chosen

    def _describe_others(self, part: SpokenGroup, whole: Sequence[WorldEntity]) -> None:
        """Let the others of a whole differ from a part of it that is as usual, such as "two of them open"."""
        for name, value in self._plain_fields(part).items():
            field = KINDS[part.kind].field(name)
            if field and value in field.usual:
                for each in whole:
                    if each not in self._resolve(part):
                        each.fields.setdefault(name, field.otherwise)

    def _list_taken(self, part: SpokenGroup) -> set[int]:
        made = [self._made[id(each)] for each in self._parts_of(part) if id(each) in self._made]
        return {id(entity) for entities in made for entity in entities}

    def _parts_of(self, part: SpokenGroup) -> Iterator[SpokenGroup]:
        return (each for each in part.siblings() if each is not part)

    def _plain_fields(self, group: SpokenGroup) -> Mapping[str, Any]:
        return {name: value for name, value in group.fields.items() if not isinstance(value, SpokenGroup)}

    # Entities

    def _add_implied(self, entity: WorldEntity) -> None:
        """Add what an entity brings about in the place where it is."""
        for kind, status in KINDS[entity.kind].implied.get(entity.fields.get("status", "active"), ()):
            self._add(WorldEntity(kind, fields={"status": status, "implied": True}, places=[*entity.places]))

    def _add(self, entity: WorldEntity) -> WorldEntity:
        self._entities.append(entity)
        return entity

    def _put(self, entity: WorldEntity, homes: Sequence[Sequence[WorldEntity]]) -> None:
        for each in homes:
            if each and each[0] not in entity.places and each[0] is not entity:
                entity.places.append(each[0])

    def _describe(self, entity: WorldEntity, group: SpokenGroup) -> None:
        """Set the fields that a group says of its records."""
        for name, value in group.fields.items():
            field = KINDS[group.kind].field(name)
            if isinstance(value, SpokenGroup):
                products = self._resolve(value)
                if products:
                    entity.fields[name] = products[0].name
                    price = value.fields.get("price") or products[0].fields.get("price")
                    entity.fields.update({"price": price} if price else {})
            elif field and field.form == "person" and value:
                entity.fields[name] = self._person(value)
            elif isinstance(value, list):
                known: list[str] = entity.fields.get(name) or []
                entity.fields[name] = [*dict.fromkeys([*known, *cast("list[str]", value)])]
            else:
                entity.fields[name] = value

    def _free_homes(self, kind: str, needed: str) -> list[WorldEntity]:
        """The entities in which the prompt does not say the number of a kind."""
        return [each for each in self._entities if each.kind == needed and (id(each), kind) not in self._closed]

    def _house(self, entity: WorldEntity) -> None:
        """Put an entity into the kind of record that it needs to be in."""
        needed = KINDS[entity.kind].needs
        if not needed or entity.place(needed):
            return
        instead = {*KINDS[entity.kind].homes} - {needed, *homes_of(needed)}
        if any(each.kind in instead for each in entity.places):
            return  # as a comment on a pull request is on no issue
        outer = [each for each in entity.places if each.kind in homes_of(needed)]
        if outer:
            home = self._add(WorldEntity(needed, places=outer))
            entity.places = [each for each in entity.places if each not in outer]
        else:
            able = [] if KINDS[entity.kind].needs_own else self._free_homes(entity.kind, needed)
            home = able[0] if able else self._add(WorldEntity(needed))
        if not home.name and home not in self._made:
            home.name = self._names.make(home, self._entities)
        amount: Price | None = entity.fields.get("amount")
        if outer and amount:
            home.fields["amount"] = amount
        entity.places.append(home)
        self._house(home)


def _is_in(entity: WorldEntity, place: WorldEntity) -> bool:
    """Whether an entity is in another one; in one that nests, as folders do, only directly."""
    nests = place.kind in KINDS[place.kind].homes
    return place in (entity.places if nests else entity.surroundings())


def _turn(group: SpokenGroup) -> int:
    """When a group is resolved: named ones first, bare numbers last."""
    if group.names and not group.whole and not group.like:
        return 0
    if KINDS[group.kind].implied:
        return 1
    is_bare = group.is_exact and not (group.fields or group.within or group.holds or group.whole or group.like)
    return 3 if is_bare else 2
