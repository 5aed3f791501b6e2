"""Inspector pages of shipped drafts."""

from tests.harness import LiveServer, Platform
from twindiff.drafts.shipped import find_shipped
from twindiff.environments.registry import Registry
from twindiff.server import Settings


def test_pages_of_salesforce_and_linkedin_show_stages_in_order_and_what_belongs_to_a_record():
    live = LiveServer(Settings(), Registry([find_shipped(name).twin() for name in ("salesforce", "linkedin")]))
    try:
        templates = ["salesforce:salesforce_base", "linkedin:linkedin_base"]
        given = {"templates": templates, "impersonateEmail": "agent@example.com"}
        id = Platform(live.in_process).post("initEnv", given)["environmentId"]
        client, services = live.in_process, f"/api/env/{id}/services"
        objects = f"{services}/salesforce/services/data/v62.0/sobjects"
        account = client.post(f"{objects}/Account", json={"Name": "Mill"}).json()["id"]
        client.post(f"{objects}/Contact", json={"LastName": "Byron", "AccountId": account})
        for stage in ("Closed Won", "Grinding", "Negotiation/Review"):
            deal = {"Name": stage, "StageName": stage, "CloseDate": "2026-12-31"}
            client.post(f"{objects}/Opportunity", json=deal)
        screens = f"/inspect/environments/{id}/screens"
        pipeline = client.get(f"{screens}/salesforce/pipeline").text
        places = [pipeline.index(stage) for stage in ("Negotiation/Review", "Grinding", "Closed Won")]
        assert places == sorted(places)
        assert "Byron" in client.get(f"{screens}/salesforce/Account/{account}").text
        member = "urn:li:person:aGeNt00001"
        post = client.post(f"{services}/linkedin/rest/posts", json={"author": member, "commentary": "Hello"})
        urn = post.headers["x-restli-id"]
        comment = {"actor": member, "object": urn, "message": {"text": "Well said"}}
        client.post(f"{services}/linkedin/rest/socialActions/{urn}/comments", json=comment)
        assert "1 comment" in client.get(f"{screens}/linkedin").text
        assert "Well said" in client.get(f"{screens}/linkedin/{urn}").text
    finally:
        live.close()
