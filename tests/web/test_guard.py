"""Only pages of this server, in the browser of the user who started it, have access."""

import pytest
from starlette.testclient import TestClient

from longfat.web.guard import MOST_BODY_BYTES, MOST_QUERY_BYTES, Hosts
from tests.web.conftest import HOST, SMALL, TOKEN

EVERYWHERE = ["/", "/play", "/static/main.js", "/vendor/preact.module.js", "/api/studies", "/no"]


@pytest.mark.parametrize("address", EVERYWHERE)
def test_without_the_token_nothing_is_answered(stranger: TestClient, address: str) -> None:
    for asked in (address, f"{address}?token=", f"{address}?token=another", f"{address}?token=é"):
        answer = stranger.get(asked)
        assert answer.status_code == 401
        assert "token" in answer.text


def test_the_token_in_the_address_becomes_a_cookie_that_scripts_cannot_read(
    stranger: TestClient,
) -> None:
    answer = stranger.get(f"/play?topology.sources=7&token={TOKEN}&port.buffer=9+cells")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/play?topology.sources=7&port.buffer=9+cells"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert stranger.get("/play").status_code == 200


@pytest.mark.parametrize("path", ["//evil.example/a", "///evil.example", "/%2F/evil.example"])
def test_the_way_on_after_the_token_never_leads_to_another_server(
    stranger: TestClient, path: str
) -> None:
    answer = stranger.get(f"http://{HOST}{path}?token={TOKEN}")
    assert answer.status_code == 303
    assert not answer.headers["location"].startswith("//")


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8747",
        "127.0.0.1.evil.example:8747",
        "127.0.0.1",
        "127.0.0.1:1",
        "[::1:8747",
        "::1:8747",
        "localhost:8747",
        "",
    ],
)
def test_another_host_is_refused_even_with_the_cookie(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"https://{HOST}"])
def test_requests_from_pages_of_others_are_refused(client: TestClient, origin: str) -> None:
    document = {"page": "a page", "settings": SMALL}
    answer = client.post("/api/play", json=document, headers={"Origin": origin})
    assert answer.status_code == 403


def test_what_is_too_long_is_refused(client: TestClient) -> None:
    body = b'{"page": "' + b"x" * MOST_BODY_BYTES + b'"}'
    kind = {"Content-Type": "application/json"}
    assert client.post("/api/play", content=body, headers=kind).status_code == 413
    parts = (body[start : start + 1000] for start in range(0, len(body), 1000))
    assert client.post("/api/play", content=parts, headers=kind).status_code == 413
    assert client.get(f"/play?a={'x' * MOST_QUERY_BYTES}").status_code == 414
    strange = {**kind, "Content-Length": "many"}
    assert client.post("/api/play", content=b"{}", headers=strange).status_code == 400


@pytest.mark.parametrize("address", EVERYWHERE)
def test_every_answer_forbids_what_pages_do_not_need(client: TestClient, address: str) -> None:
    headers = client.get(address).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "address",
    [
        "/static/..%2f__init__.py",
        "/static/%2e%2e/app.py",
        "/static/shell.html",
        "/vendor/__init__.py",
        "/vendor/manifest.json",
        "/api/nothing",
        "/run/a/b",
    ],
)
def test_there_is_nothing_else(client: TestClient, address: str) -> None:
    assert client.get(address).status_code == 404


def test_methods_that_an_address_does_not_have_are_refused(client: TestClient) -> None:
    assert client.delete("/api/studies").status_code == 405
    assert client.post("/play").status_code == 405


@pytest.mark.parametrize("host", ["192.168.7.9:8747", "[::1]:8747", "[2001:db8::5]:8747"])
def test_any_address_is_accepted_because_rebinding_needs_a_name(
    client: TestClient, host: str
) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 200


def test_only_the_given_name_is_accepted_and_localhost_only_of_this_machine() -> None:
    hosts = Hosts("bench.example", 80)
    far, near = "192.168.7.9", "127.0.0.1"
    assert hosts.include("Bench.Example:80", far)
    assert not hosts.include("other.example:80", near)
    assert hosts.include("localhost:80", near)
    assert hosts.include("localhost:80", "::ffff:127.0.0.1")
    assert not hosts.include("localhost:80", far)
    assert not hosts.include("localhost:80", "testclient")
