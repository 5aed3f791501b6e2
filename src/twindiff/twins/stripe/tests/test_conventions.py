"""What holds for every operation: keys, versions, idempotency, expansion, lists, metadata, unknown parameters."""

import pytest


def test_a_request_has_an_id_and_a_version(stripe):
    answer = stripe.http("GET", "customers")
    assert answer.headers["Request-Id"].startswith("req_")
    assert answer.headers["Stripe-Version"] == "2026-08-26.dahlia"


def test_a_version_that_is_none_is_refused(stripe):
    refused = stripe.error("GET", "customers", headers={"Stripe-Version": "soon"})
    assert refused["message"] == "Invalid Stripe API version: soon"


def test_another_account_is_refused_in_words(stripe):
    refused = stripe.error("GET", "customers", 403, headers={"Stripe-Account": "acct_other"})
    assert refused["code"] == "account_invalid"


@pytest.mark.parametrize("header", ["Stripe-Account", "Stripe-Context"])
def test_the_own_account_may_be_named(stripe, header):
    own = stripe.get("account")["id"]
    answer = stripe.http("POST", "customers", headers={header: own})
    assert answer.status_code == 200
    assert stripe.error("GET", "customers", 403, headers={header: "acct_other"})["code"] == "account_invalid"


@pytest.mark.parametrize(
    "path", ["default_source", "sources", "subscriptions", "tax_ids", "invoice_settings.default_payment_method"]
)
def test_the_stub_of_a_deleted_customer_can_be_expanded(stripe, path):
    customer = stripe.post("customers")["id"]
    stripe.post("invoices", customer=customer)
    stub = stripe.delete(f"customers/{customer}")
    assert stripe.get(f"customers/{customer}", expand=[path]) == stub
    (invoice,) = stripe.get("invoices", expand=[f"data.customer.{path}"])["data"]
    assert invoice["customer"] == stub
    wrong = stripe.error("GET", f"customers/{customer}", expand=["nothing"])
    assert wrong["message"] == "This property cannot be expanded (nothing)."


def test_a_publishable_key_reads_nothing(stripe):
    stripe.token = "pk_test_shop"
    assert stripe.error("GET", "customers", 403)["code"] == "secret_key_required"


def test_a_key_may_be_the_name_of_basic_authentication(stripe):
    answer = stripe.environment.platform.client.get(f"{stripe.url}/v1/account", auth=("sk_test_shop", ""))
    assert answer.json()["id"] == "acct_1TwindiffTestShop"


def test_strict_shops_refuse_keys_that_they_do_not_know(shop):
    strict = shop(auth="strict")
    strict.token = "sk_test_wrong"
    assert strict.error("GET", "customers", 401)["message"].startswith("Invalid API Key provided")


@pytest.mark.parametrize(
    ("parameters", "name"),
    [({"wat": 1}, "wat"), ({"invoice_settings": {"nope": 1}}, "invoice_settings[nope]")],
)
def test_an_unknown_parameter_is_refused(stripe, parameters, name):
    refused = stripe.error("POST", "customers", **parameters)
    assert (refused["code"], refused["param"]) == ("parameter_unknown", name)
    assert refused["message"] == f"Received unknown parameter: {name}"


def test_an_unknown_parameter_may_be_meant_for_a_known_one(stripe):
    refused = stripe.error("POST", "customers", emial="ada@shop.example")
    assert refused["message"] == "Received unknown parameter: emial. Did you mean email?"


def test_all_unknown_parameters_are_named_at_once(stripe):
    refused = stripe.error("POST", "customers", quantity=1, trial_end="now")
    assert refused["message"] == "Received unknown parameters: quantity, trial_end"


@pytest.mark.parametrize(
    ("path", "parameters", "name"),
    [
        ("products", {"name": ""}, "name"),
        ("payment_intents", {"amount": "", "currency": "usd"}, "amount"),
        ("payment_intents", {"amount": 1000, "currency": "usd", "capture_method": ""}, "capture_method"),
        ("prices", {"currency": "usd", "unit_amount": 100, "product_data": {"name": ""}}, "product_data[name]"),
    ],
)
def test_an_empty_text_unsets_only_what_can_be_unset(stripe, path, parameters, name):
    refused = stripe.error("POST", path, **parameters)
    assert (refused["code"], refused["param"]) == ("parameter_invalid_empty", name)
    assert refused["message"].startswith(f"You passed an empty string for '{name}'. We assume empty values are")


def test_lists_say_where_expansions_begin(stripe):
    refused = stripe.error("GET", "charges", expand=["wat"])
    assert refused["message"].endswith("(wat). You may want to try expanding 'data.wat' instead.")


def test_an_answer_that_is_kept_names_its_key_and_its_first_request(stripe):
    key = {"Idempotency-Key": "once"}
    first, again = (stripe.http("POST", "customers", headers=key).headers for _ in range(2))
    assert (again["idempotency-key"], again["idempotent-replayed"]) == ("once", "true")
    assert first["request-id"] == first["original-request"] == again["original-request"]


def test_a_number_must_be_one(stripe):
    refused = stripe.error("GET", "customers", limit="abc")
    assert (refused["message"], refused["param"]) == ("Invalid integer: abc", "limit")


def test_a_choice_lists_what_there_is(stripe):
    refused = stripe.error("POST", "customers", tax_exempt="maybe")
    assert refused["message"] == "Invalid tax_exempt: must be one of exempt, none, or reverse"


def test_a_body_of_json_is_refused(stripe):
    answer = stripe.environment.ask("v1/customers", twin="stripe", json={"email": "a@b.example"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("Invalid request (check that your POST content type")


def test_an_unknown_address_is_refused(stripe):
    refused = stripe.error("GET", "nothing", 404)
    assert refused["message"].startswith("Unrecognized request URL (GET: /v1/nothing)")


class TestIdempotency:
    """https://docs.stripe.com/api/idempotent_requests"""

    def test_a_key_does_once_what_is_asked(self, stripe):
        key = {"Idempotency-Key": "one"}
        first = stripe.http("POST", "customers", key, name="Ada")
        again = stripe.http("POST", "customers", key, name="Ada")
        assert again.json() == first.json()
        assert again.headers["Idempotent-Replayed"] == "true"
        assert len(stripe.get("customers")["data"]) == 1

    def test_a_key_with_other_parameters_is_refused(self, stripe):
        stripe.http("POST", "customers", {"Idempotency-Key": "one"}, name="Ada")
        refused = stripe.error("POST", "customers", headers={"Idempotency-Key": "one"}, name="Bea")
        assert refused["type"] == "idempotency_error"
        assert "code" not in refused

    @pytest.mark.parametrize(("hours", "names"), [(23, ["Ada"]), (25, ["Bea", "Ada"])])
    def test_a_key_is_forgotten_after_a_day(self, stripe, hours, names):
        stripe.http("POST", "customers", {"Idempotency-Key": "one"}, name="Ada")
        stripe.advance(seconds=hours * 3600)
        stripe.http("POST", "customers", {"Idempotency-Key": "one"}, name="Bea")
        assert [each["name"] for each in stripe.get("customers")["data"]] == names

    def test_an_error_is_answered_again(self, stripe):
        key = {"Idempotency-Key": "one"}
        first = stripe.http("POST", "customers/cus_1", key, name="Ada")
        again = stripe.http("POST", "customers/cus_1", key, name="Ada")
        assert (again.status_code, again.json()) == (404, first.json())

    def test_what_could_not_be_read_is_not_kept(self, stripe):
        key = {"Idempotency-Key": "one"}
        stripe.error("POST", "customers", headers=key, wat=1)
        assert stripe.http("POST", "customers", key, name="Ada").status_code == 200


class TestLists:
    """https://docs.stripe.com/api/pagination"""

    @pytest.fixture
    def ids(self, stripe):
        """Five customers, newest first."""
        return [stripe.post("customers", name=str(number))["id"] for number in range(5)][::-1]

    def test_the_newest_comes_first(self, stripe, ids):
        assert [each["id"] for each in stripe.get("customers")["data"]] == ids

    def test_a_page_goes_on_behind_an_object(self, stripe, ids):
        page = stripe.get("customers", limit=2, starting_after=ids[1])
        assert ([each["id"] for each in page["data"]], page["has_more"]) == (ids[2:4], True)

    def test_a_page_ends_before_an_object(self, stripe, ids):
        page = stripe.get("customers", limit=2, ending_before=ids[3])
        assert ([each["id"] for each in page["data"]], page["has_more"]) == (ids[1:3], True)

    def test_the_object_of_a_cursor_may_be_deleted(self, stripe, ids):
        stripe.delete(f"customers/{ids[2]}")
        page = stripe.get("customers", starting_after=ids[2])
        assert [each["id"] for each in page["data"]] == ids[3:]

    @pytest.mark.parametrize(("limit", "length"), [(0, 1), (-3, 1), (101, 5)])
    def test_a_limit_out_of_bounds_is_the_bound(self, stripe, ids, limit, length):
        assert len(stripe.get("customers", limit=limit)["data"]) == length

    def test_an_unknown_cursor_is_no_such_object(self, stripe):
        refused = stripe.error("GET", "customers", starting_after="cus_aaa")
        assert (refused["code"], refused["param"]) == ("resource_missing", "starting_after")

    def test_both_cursors_are_refused(self, stripe, ids):
        refused = stripe.error("GET", "customers", starting_after=ids[0], ending_before=ids[1])
        assert "both starting_after and ending_before" in refused["message"]

    def test_times_are_filtered(self, stripe, ids):
        made = stripe.get(f"customers/{ids[0]}")["created"]
        assert len(stripe.get("customers", created={"lte": made})["data"]) == 5
        assert stripe.get("customers", created={"gt": made})["data"] == []


class TestMetadata:
    """https://docs.stripe.com/api/metadata"""

    def test_it_is_merged_and_an_empty_value_deletes_a_key(self, stripe):
        made = stripe.post("customers", metadata={"a": 1, "b": 2})
        changed = stripe.post(f"customers/{made['id']}", metadata={"a": "", "c": 3})
        assert changed["metadata"] == {"b": "2", "c": "3"}

    def test_an_empty_text_deletes_all_of_it(self, stripe):
        made = stripe.post("customers", metadata={"a": 1})
        assert stripe.post(f"customers/{made['id']}", metadata="")["metadata"] == {}

    def test_its_keys_may_be_numbers(self, stripe):
        assert stripe.post("customers", metadata={"0": "x"})["metadata"] == {"0": "x"}

    @pytest.mark.parametrize("metadata", [{"k" * 41: "v"}, {"k": "v" * 501}, {str(n): "v" for n in range(51)}])
    def test_it_is_bounded(self, stripe, metadata):
        assert "etadata" in stripe.error("POST", "customers", metadata=metadata)["message"]


def test_what_was_expanded_too_deep_or_cannot_be_is_refused(stripe):
    made = stripe.post("customers", name="Ada")
    assert "cannot be expanded" in stripe.error("GET", f"customers/{made['id']}", expand=["name.x"])["message"]
    assert "more than 4 levels" in stripe.error("GET", "customers", expand=["data.a.b.c.d"])["message"]


def test_ids_begin_in_the_order_in_which_objects_are_made(stripe):
    made = [stripe.post("customers")["id"] for _ in range(20)]
    intents = [stripe.post("payment_intents", amount=100, currency="usd")["id"] for _ in range(5)]
    assert made == sorted(made)
    assert intents == sorted(intents)
    assert {len(id) for id in intents} == {27}


def test_a_key_belongs_to_the_endpoint_that_it_was_used_for(stripe):
    key = {"Idempotency-Key": "once"}
    stripe.http("POST", "customers", headers=key)
    error = stripe.http("POST", "products", headers=key, name="Mug").json()["error"]
    assert error["message"] == (
        "Keys for idempotent requests can only be used for the same endpoint they were first used for ('/v1/products' "
        "vs '/v1/customers'). Try using a key other than 'once' if you meant to execute a different request."
    )


def test_an_error_says_in_one_line_where_its_log_is(stripe, shop):
    refused = stripe.http("GET", "customers/cus_none")
    log = "https://dashboard.stripe.com/acct_1TwindiffTestShop/test/workbench/logs?object="
    assert refused.json()["error"]["request_log_url"] == log + refused.headers["request-id"]
    stripe.token = "pk_test_shop"
    assert "of your API keys at https://" in stripe.error("GET", "customers", 403)["message"]
    stripe.token = "sk_live_shop"
    assert "request_log_url" not in stripe.error("GET", "customers", 401)
