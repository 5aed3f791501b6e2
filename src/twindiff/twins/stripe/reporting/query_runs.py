"""Runs of queries that are scheduled in Sigma, which has no API to schedule them: the rows are those of a template.

https://docs.stripe.com/api/sigma/scheduled_queries
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import Body, Call, Column, Operations, column

from ..core.objects import Fields, StripeObject, build_view, resource, retrieve
from ..core.pagination import list_of
from ..core.params import ListParams, Params

api = Operations(prefix="/v1/sigma/scheduled_query_runs")


class ScheduledQueryRun(StripeObject, table="scheduled_query_runs", key=("id",), unique=(("seq",),)):
    data_load_time: Column[int]
    result_available_until: Column[int]
    sql: Column[str]
    status: Column[str] = column(default="completed")
    title: Column[str]


QUERY_RUNS = resource(
    ScheduledQueryRun,
    "scheduled_query_run",
    "sqr_",
    build_view(ScheduledQueryRun, "scheduled_query_run", file=None),
    spoken="scheduled query run",
    param="scheduled_query_run",
)


@api.get("")
def list_query_runs(call: Call, params: Annotated[ListParams, Body]) -> Fields:
    """List the runs of scheduled queries."""
    return list_of(call, QUERY_RUNS, params, "/v1/sigma/scheduled_query_runs")


@api.get("/{scheduled_query_run}")
def retrieve_query_run(call: Call, scheduled_query_run: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a run of a scheduled query."""
    return QUERY_RUNS.show(retrieve(call, QUERY_RUNS, scheduled_query_run))
