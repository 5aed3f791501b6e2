"""Reports of the account as files, and runs of Sigma's queries.  https://docs.stripe.com/reports/api"""

import csv

import pytest

RUNS = "reporting/report_runs"
DAY = 86_400


@pytest.fixture(scope="module")
def default_shop(shop):
    """A shop with half a year of transactions."""
    return shop("stripe_default")


def run(stripe, kind, **more):
    """Make a report of all that there is; gives the run and the lines of its file."""
    about = stripe.get(f"reporting/report_types/{kind}")
    window = {"interval_start": about["data_available_start"], "interval_end": about["data_available_end"]}
    made = stripe.post(RUNS, report_type=kind, parameters={**window, **more})
    assert (made["status"], made["result"]) == ("pending", None)
    stripe.advance(seconds=11)
    done = stripe.get(f"{RUNS}/{made['id']}")
    text = stripe.environment.ask(
        f"v1/files/{done['result']['id']}/contents", verb="GET", twin="stripe", token=stripe.token
    ).text
    return done, [*csv.DictReader(text.splitlines())]


def test_a_report_succeeds_in_time_with_a_file(default_shop):
    done, lines = run(default_shop, "balance_change_from_activity.itemized.3")
    assert (done["status"], done["result"]["type"], done["error"]) == ("succeeded", "csv", None)
    newest = default_shop.get("balance_transactions", limit=1)["data"][0]
    assert lines[-1]["balance_transaction_id"] == newest["id"]
    assert {"balance_transaction_id", "gross", "fee", "net", "reporting_category"} < set(lines[0])
    assert default_shop.get("events", type="reporting.report_run.succeeded")["data"][0]["data"]["object"] == done
    assert default_shop.get("files", purpose="finance_report_run")["data"][0]["id"] == done["result"]["id"]


def test_a_summary_adds_up_to_the_balance(default_shop):
    _, summary = run(default_shop, "balance_change_from_activity.summary.1", currency="usd")
    _, balance = run(default_shop, "balance.summary.1")
    ending = next(each["net_amount"] for each in balance if each["category"] == "ending_balance")
    assert round(sum(float(each["net"]) for each in summary), 2) == float(ending)


def test_a_currency_is_taken_in_capitals_too(default_shop):
    kind = "balance_change_from_activity.itemized.3"
    _, lower = run(default_shop, kind, currency="usd")
    done, upper = run(default_shop, kind, currency="USD")
    assert (len(upper), done["parameters"]["currency"]) == (len(lower), "usd")
    assert upper


def test_a_report_has_the_columns_that_are_chosen(default_shop):
    _, lines = run(default_shop, "balance_change_from_activity.itemized.3", columns=["net", "description"])
    assert [*lines[0]] == ["net", "description"]


@pytest.mark.parametrize(("kind", "given", "param"), [
    ("none.1", {}, "report_type"), ("balance.summary.1", {}, "parameters[interval_start]"),
    ("balance.summary.1", {"interval_start": 1}, "parameters[interval_end]"),
    ("balance.summary.1", {"interval_start": 2 * DAY, "interval_end": DAY}, "parameters[interval_start]"),
    ("balance.summary.1", {"interval_start": 1, "interval_end": 10**10}, "parameters[interval_end]"),
    ("balance.summary.1", {"interval_start": 1, "interval_end": DAY, "columns": ["x"]}, "parameters[columns]"),
    ("balance.summary.1", {"interval_start": 1, "interval_end": DAY, "payout": "po_1"}, "parameters[payout]"),
])  # fmt: skip
def test_a_report_is_checked(default_shop, kind, given, param):
    assert default_shop.error("POST", RUNS, report_type=kind, parameters=given)["param"] == param


def test_types_of_reports_and_runs_of_queries_are_listed(default_shop):
    types = default_shop.get("reporting/report_types")["data"]
    assert [each["id"] for each in types if each["id"].startswith("payouts.")] == [
        "payouts.itemized.3",
        "payouts.summary.1",
    ]
    assert default_shop.get("sigma/scheduled_query_runs")["data"] == []
    assert default_shop.error("GET", "sigma/scheduled_query_runs/sqr_none", 404)["code"] == "resource_missing"
