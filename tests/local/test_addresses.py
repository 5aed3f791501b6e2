"""Whatever an SDK asks inside the process reaches its twin: links of answers, and hosts of one vendor."""

import httpx
import pytest
import requests

from twindiff.client import Environment
from twindiff.local import Twindiff


@pytest.fixture
def env(td: Twindiff) -> Environment:
    return td.create("shop:shop_default", user="U1")


FILE = {"file": ("a.txt", b"hello")}


def test_a_link_of_an_answer_leads_back_to_the_twin(td: Twindiff, env: Environment):
    with httpx.Client(transport=td.transport(env, "shop"), headers={"Authorization": env.token}) as client:
        made = client.post("https://upload.shop.com/api/2.0/files/content", files=FILE)
        assert (made.status_code, made.json()) == (201, {"size": 5})
        assert client.get(made.headers["Location"]).json()["name"] == "Me"


def test_a_host_of_its_own_is_told_by_every_way_in(td: Twindiff, env: Environment):
    with requests.Session() as session:
        session.mount("https://", td.adapter(env, "shop"))
        session.headers["Authorization"] = env.token
        made = session.post("https://upload.shop.com/api/2.0/files/content", files=FILE)
        assert made.json() == {"size": 5}
        assert session.post("https://api.shop.com/api/2.0/files/content", files=FILE).status_code == 501


def test_over_http_the_host_is_a_prefix(td: Twindiff, env: Environment):
    url = f"{td.url(env, 'shop')}/upload/api/2.0/files/content"
    made = httpx.post(url, files=FILE, headers={"Authorization": env.token}, trust_env=False)
    assert made.json() == {"size": 5}
    link = httpx.get(made.headers["Location"], headers={"Authorization": env.token}, trust_env=False)
    assert link.json()["name"] == "Me"
