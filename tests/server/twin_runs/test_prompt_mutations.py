"""Whatever words of a prompt are dropped or changed: what is still said to be understood, the twins still show."""

import random

import pytest

from tests.server.twin_runs.world_reader import WorldReader

FOREIGN = ["not", "angry", "never", "almost", "unless", "except"]


def messages(world, n, channel, topic):
    texts = world.messages(channel.strip("#")) if channel else world.texts()
    found = sum(topic is None or topic in text for text in texts)
    return found == int(n) if n else found >= 1


def issues(world, n, team, project):
    mine = [
        each
        for each in world.issues()
        if team in (None, each["team"]["name"]) and project in (None, (each["project"] or {}).get("name"))
    ]
    return len(mine) == int(n) if n else bool(mine)


def subscriptions(world, n, plan, price):
    owners = {*world.subscribers("active", plan)}
    prices = world.prices().get(plan, []) if plan else [each for some in world.prices().values() for each in some]
    is_priced = price is None or int(price.strip("$")) * 100 in [each[0] for each in prices]
    return is_priced and (len(owners) == int(n) if n else bool(owners))


def files(world, n, folder, file):
    held = world.files()
    known = held.get(folder, []) if folder else [name for names in held.values() for name in names]
    return (n is None or len(held) - 1 == int(n)) and (file is None or file in known)


def people(world, channel, one, two):
    names = {each.partition("@")[0].title() for each in (one, two) if each}
    rooms = [channel.strip("#")] if channel else [*world.channels()]
    return not names or any(world.members(room) == names for room in rooms)


TEMPLATES = [
    ("The {channel} channel in Slack has {n} messages about {topic}", messages,
     {"n": ["2", "5", "7"], "channel": ["#support", "#ops"], "topic": ["refunds", "outages"]}),
    ("Linear has a team {team} with a project {project} with {n} issues", issues,
     {"n": ["3", "8", "11"], "team": ["Support", "Sales"], "project": ["Apollo", "Gemini"]}),
    ("Stripe has {n} customers with an active subscription to the plan {plan} at {price} a month", subscriptions,
     {"n": ["2", "4", "9"], "plan": ["Gold", "Silver"], "price": ["$49", "$20"]}),
    ('Box has {n} folders and a folder named {folder} with a file "{file}"', files,
     {"n": ["2", "4", "6"], "folder": ["Contracts", "Drafts"], "file": ["a.txt", "b.md"]}),
    ("A Slack channel {channel} with {one} and {two}", people,
     {"channel": ["#finance", "#legal"], "one": ["ada@b.test", "eva@b.test"], "two": ["ben@b.test", "cleo@b.test"]}),
]  # fmt: skip
"""Sentences with words that may change, and what holds of a world that shows them; what is dropped is None."""


def mutated(chance, template, values):
    """A sentence with other values, some words dropped; the values that are left; whether a foreign word is in it."""
    words, kept = [], dict.fromkeys(values)
    for word in template.split():
        name = word.partition("{")[2].partition("}")[0]
        if chance.random() < 0.12:
            continue
        if name:
            kept[name] = chance.choice(values[name])
            word = word.format(**kept)
        words.append(word)
    is_foreign = chance.random() < 0.2
    if is_foreign:
        words.insert(chance.randrange(len(words)), chance.choice(FOREIGN))
    return " ".join(words), kept, is_foreign


@pytest.mark.parametrize("seed", range(24))
def test_what_is_understood_of_changed_words_is_what_the_twins_show(live, seed):
    chance = random.Random(seed)
    made = [(mutated(chance, template, values), holds) for template, holds, values in TEMPLATES]
    prompt = ". ".join(sentence for (sentence, _, _), _ in made)
    asked = {"twins": ["slack", "linear", "stripe", "box"], "scenario_prompt": prompt, "ttl_minutes": 5}
    run = live.client.post("/twin-runs", json=asked).raise_for_status().json()["run_id"]
    world = WorldReader(live.client, live.client.get(f"/twin-runs/{run}").json())
    claimed = [each for each in made if each[0][0] in world.understood]
    assert [sentence for (sentence, _, is_foreign), _ in claimed if is_foreign] == []
    assert [sentence for (sentence, kept, _), holds in claimed if not holds(world, **kept)] == []


def test_words_that_were_not_changed_are_understood(live):
    sentences = [
        template.format(**{name: each[0] for name, each in values.items()}) for template, _, values in TEMPLATES
    ]
    asked = {"twins": ["slack", "linear", "stripe", "box"], "scenario_prompt": ". ".join(sentences)}
    assert live.client.post("/twin-runs", json=asked).json()["not_understood"] == []
