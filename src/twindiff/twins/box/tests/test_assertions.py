"""Tokens for signed assertions, as applications with a key pair of their own ask for them."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import jwt
import pytest
from box_sdk_gen import BaseUrls, BoxAPIError, BoxClient, BoxJWTAuth, JWTConfig, NetworkSession
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from .conftest import ADA, BEN, CLEO, Box

PASSPHRASE = "sesame"
PEM = serialization.Encoding.PEM


def new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public(key: rsa.RSAPrivateKey) -> str:
    return key.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return new_key()


@pytest.fixture(scope="module")
def template(platform: Any, key: rsa.RSAPrivateKey) -> str:
    """An enterprise with an application whose public key is registered."""
    application = {"client_id": "app", "client_secret": "s", "user_id": ADA, "public_keys": {"k1": public(key)}}
    users = [{"id": each, "name": each, "role": "admin" if each == ADA else "user"} for each in (ADA, BEN, CLEO)]
    platform.post("import", {"files": {"box_signed.json": {"box_users": users, "box_applications": [application]}}})
    return "box_signed"


@pytest.fixture
def signed(template: str, enterprise: Callable[..., Box]) -> Box:
    return enterprise(template)


def claims(**other: Any) -> dict[str, Any]:
    now = int(time.time())
    made = {"iss": "app", "sub": BEN, "box_sub_type": "user", "aud": "https://api.box.com/oauth2/token"}
    return {**made, "jti": uuid4().hex, "iat": now, "exp": now + 30, **other}


def ask(box: Box, assertion: str) -> Any:
    grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    form = {"client_id": "app", "client_secret": "s", "grant_type": grant, "assertion": assertion}
    return box.http("POST", "/oauth2/token", token="", data=form)


@pytest.mark.parametrize("algorithm", ["RS256", "RS384", "RS512"])
def test_a_signed_assertion_gives_a_token_once(signed: Box, key: rsa.RSAPrivateKey, algorithm: str):
    assertion = jwt.encode(claims(), key, algorithm, headers={"kid": "k1"})
    token = ask(signed, assertion).json()["access_token"]
    assert signed.http("GET", "users/me", token=token).json()["id"] == BEN
    again = ask(signed, assertion)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert "'jti'" in again.json()["error_description"]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"aud": "https://api.example.com"}, "'aud'"),
        ({"aud": None}, "'aud'"),
        ({"exp": 1}, "before the expiration"),
        ({"exp": "soon"}, "'exp'"),
        ({"exp": int(time.time()) + 7200}, "60 seconds"),
        ({"jti": "short"}, "'jti'"),
        ({"jti": ["list"]}, "'jti'"),
        ({"iss": "other"}, "'iss'"),
        ({"sub": "1"}, "credentials"),
    ],
)
def test_a_claim_that_is_wrong_is_named(signed: Box, key: rsa.RSAPrivateKey, wrong: dict[str, Any], named: str):
    payload = json.dumps(claims(**wrong)).encode()
    answer = ask(signed, jwt.PyJWS().encode(payload, key, "RS256", headers={"kid": "k1"}))
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    assert named in answer.json()["error_description"]


def test_what_another_key_or_nobody_has_signed_gives_nothing(signed: Box, key: rsa.RSAPrivateKey):
    good = jwt.encode(claims(), key, "RS256", headers={"kid": "k1"})
    head, body, signature = good.split(".")
    forged = [
        jwt.encode(claims(), new_key(), "RS256", headers={"kid": "k1"}),
        jwt.encode(claims(), key, "RS256", headers={"kid": "k2"}),
        jwt.encode(claims(), "a secret of thirty-two bytes or more", "HS256", headers={"kid": "k1"}),
        jwt.encode(claims(), "", "none"),
        f"{head}.{body}.",
        f"e30.{body}.{signature}",
        f"%%.{body}.{signature}",
    ]
    refusals = [ask(signed, each).json() for each in forged]
    assert {each["error_description"] for each in refusals} == {"OAuth JWT signature verification failed"}
    assert ask(signed, good).status_code == 200


def app_config(key: rsa.RSAPrivateKey) -> str:
    """What Box's developer console gives an application to download."""
    sealed = serialization.BestAvailableEncryption(PASSPHRASE.encode())
    private = key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, sealed).decode()
    pair = {"publicKeyID": "k1", "privateKey": private, "passphrase": PASSPHRASE}
    settings = {"clientID": "app", "clientSecret": "s", "appAuth": pair}
    return json.dumps({"boxAppSettings": settings, "enterpriseID": "1"})


def client_of(box: Box, key: rsa.RSAPrivateKey) -> Any:
    auth = BoxJWTAuth(config=JWTConfig.from_config_json_string(app_config(key)))
    urls = BaseUrls(base_url=box.url, upload_url=f"{box.url}/api", oauth_2_url=f"{box.url}/oauth2")
    return BoxClient(auth=auth, network_session=NetworkSession(base_urls=urls))


def test_the_client_reads_an_app_config_and_gets_in(signed: Box, key: rsa.RSAPrivateKey):
    client = client_of(signed, key)
    assert client.users.get_user_me().id == ADA
    assert client.folders.get_folder_items("0").entries == []


def test_the_client_with_another_key_is_told(signed: Box):
    with pytest.raises(BoxAPIError, match="signature"):
        client_of(signed, new_key()).users.get_user_me()


def test_the_older_client_reads_it_too(signed: Box, key: rsa.RSAPrivateKey, monkeypatch: pytest.MonkeyPatch):
    boxsdk = pytest.importorskip("boxsdk", reason="boxsdk<4 is not installed")
    api: Any = importlib.import_module("boxsdk.config").API
    monkeypatch.setattr(api, "BASE_API_URL", f"{signed.url}/2.0")
    monkeypatch.setattr(api, "OAUTH2_API_URL", f"{signed.url}/oauth2")
    with pytest.warns(DeprecationWarning, match="deprecated"):
        client = boxsdk.Client(boxsdk.JWTAuth.from_settings_dictionary(json.loads(app_config(key))))
    assert client.user().get().id == ADA
