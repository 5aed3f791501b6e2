"""PostgreSQL plans queries well whatever it knows of the environments there are."""

from __future__ import annotations

import re

import pytest

from tests.harness import LiveServer, Platform
from tests.storage.postgres.cluster import Database, draining
from twindiff.kit.computed_values import only, reachable_rows
from twindiff.kit.full_text import SearchTerm
from twindiff.kit.rows import Step, table_of
from twindiff.server import Settings
from twindiff.storage.postgres import full_text_index, json_key_index
from twindiff.storage.postgres.connections import PostgresPool, connect, sql
from twindiff.storage.postgres.ddl import schema_of
from twindiff.storage.postgres.dialect import PostgresCompiler
from twindiff.twins.linear.model.issues import Issue
from twindiff.twins.slack.core.tables import Message
from twindiff.twins.stripe.tables.customer_tables import Customer

pytestmark = pytest.mark.postgres

AGENT = "2790a7ee-fde0-4537-9588-e233aa5a68d1"
BUGS = '{ issues(first: 250, filter: {labels: {some: {name: {eq: "Bug"}}}}) { nodes { id } } }'


def test_a_large_environment_newer_than_the_statistics_is_searched_in_time(database: Database) -> None:
    database.initialise_all()
    with draining(database.dsn):
        server = LiveServer(Settings(storage=database.dsn, ready=0))
        platform = Platform(server.client)
        for _ in range(40):
            platform.environment("linear:linear_default", AGENT)
        database.psql("ANALYZE")
        large = platform.environment("linear:linear_workspace", AGENT)
        answer = large.ask("graphql", twin="linear", json={"query": BUGS}).json()
        server.close()
    assert len(answer["data"]["issues"]["nodes"]) > 100, answer


def test_rows_above_one_are_looked_up_by_key_in_a_vacuumed_database(database: Database) -> None:
    database.initialise_all()
    with draining(database.dsn):
        server = LiveServer(Settings(storage=database.dsn, ready=0))
        environment = Platform(server.client).environment("linear:linear_workspace", AGENT)
        server.close()
    database.psql("VACUUM ANALYZE")
    issue, text = Issue.row, PostgresCompiler(schema_of("linear"))
    above = reachable_rows(issue.id, Step(issue.id, issue.parentId))
    order = text.order_by(only(issue.id, above, issue.parentId.is_null()), table_of(issue))
    plan = plan_of(database, environment.id, f"SELECT t.id FROM {text.table(issue)} t ORDER BY {order}")
    lookups = re.findall(r"(Seq Scan|Scan using \S+) on issues", plan)
    assert lookups == ["Scan using issues_pkey"] * 2, plan


def test_a_text_whatever_its_case_is_looked_up_in_an_index(database: Database) -> None:
    database.initialise_all()
    with draining(database.dsn):
        server = LiveServer(Settings(storage=database.dsn, ready=0))
        environment = Platform(server.client).environment("stripe:stripe_default", "acct_1TwindiffTestShop")
        server.close()
    text = PostgresCompiler(schema_of("stripe"))
    wanted = text.equals_fold("t.email", "Ada@Shop.example").replace("%s", "'ada@shop.example'")
    plan = plan_of(database, environment.id, f"SELECT t.id FROM {text.table(Customer)} t WHERE {wanted}")
    assert "customers_env_id_email_folded" in plan, plan


def test_a_word_is_looked_up_in_an_index(database: Database) -> None:
    database.initialise_all()
    place, message = schema_of("slack"), table_of(Message)
    search = PostgresCompiler(place).search(message, [Message.message_text.has_word(SearchTerm(("team",)))], "t")
    assert search.source.startswith(f"{full_text_index.lookup(place, message, 'message_text')}(")
    made = next(full_text_index.lookups(place, message))
    assert "messages_env_id_message_text_words" in plan_inside(database, made)


def test_an_entry_is_looked_up_in_an_index(database: Database) -> None:
    database.initialise_all()
    made = next(json_key_index.lookups(schema_of("stripe"), table_of(Customer)))
    assert "customers_env_id_metadata_entries" in plan_inside(database, made)


def plan_inside(database: Database, function: str) -> str:
    """How the query of a function would be run."""
    query = function.partition("$$ ")[2].partition(" $$")[0]
    given = re.sub("[$][0-9]", "'9'", query)
    with connect(database.admin) as connection:
        connection.execute("SET enable_seqscan = off")
        return str(connection.execute(sql(f"EXPLAIN {given}")).fetchall())


def plan_of(database: Database, environment: str, query: str) -> str:
    """How a connection of the server would run a query."""
    pool = PostgresPool(database.dsn)
    with pool.connection() as connection:
        connection.execute("SELECT set_config('app.env_id', %s, false)", (environment,))
        plan = "\n".join(line for (line,) in connection.execute(sql(f"EXPLAIN {query}")).fetchall())
    pool.close()
    return plan
