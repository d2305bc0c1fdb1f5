"""The live view's server, asked by clients that are no page of it."""

import asyncio
import json
import socket
from contextlib import AsyncExitStack

import aiohttp
import pytest
from tests.unit.live.synthetic import StandIn

from formicary.core.errors import UsageError
from formicary.live.web import application
from formicary.live.web.serving import serve, serving
from formicary.observe.events import MessageSeen


@pytest.fixture
def feed():
    return StandIn(may_act=True)


async def until(is_so):
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110 -- nobody tells it
            await asyncio.sleep(0.01)


def browser():
    """Give a client that starts no thread to look up names."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=aiohttp.ThreadedResolver()))


def split(address):
    base, _, token = address.partition("/?token=")
    return base, token


async def test_only_who_has_the_token_gets_the_page_and_then_has_a_cookie(feed):
    async with serving(feed, title="shop") as (address, _), browser() as client:
        base, token = split(address)
        wrong = ("", token[:-1], f"{token}x", "%F0%9F%90%9C")
        for path in ("/", "/live.css", *(f"/?token={each}" for each in wrong)):
            async with client.get(base + path) as answer:
                assert answer.status == 403
                assert await answer.text() == (
                    "The token is not the right one: open the address that `formicary watch` has printed.\n"
                )
                assert not answer.cookies
        async with client.get(address) as answer:
            assert answer.status == 200
            assert answer.content_type == "text/html"
            (cookie,) = answer.cookies.values()
            assert (cookie.value, cookie["httponly"], cookie["samesite"]) == (token, True, "Strict")
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'; script-src 'self' 'sha256-" in policy
            assert "; style-src 'self'; " in policy
            assert "unsafe" not in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        name, value = cookie.key, cookie.value
    async with serving(feed, title="shop") as (address, _), browser() as client:
        base, token = split(address)
        cookie = f"formicary-live-{base.rpartition(':')[2]}"
        assert value not in (token, "")
        async with client.get(base, headers={"Cookie": f"{name}={value}; {cookie}={value}"}) as answer:
            assert answer.status == 403  # another server's
        async with client.get(f"{base}/main.js", headers={"Cookie": f"{cookie}={token}"}) as answer:
            assert (answer.status, answer.content_type) == (200, "text/javascript")


async def test_other_names_and_other_pages_are_refused(feed):
    async with serving(feed, title="shop") as (address, _), browser() as client:
        base, token = split(address)
        port = base.rpartition(":")[2]
        for headers in ({"Host": f"evil.example:{port}"}, {"Host": "127.0.0.1"}):
            async with client.get(address, headers=headers) as answer:
                assert answer.status == 403
                assert "This name is not the live view's" in await answer.text()
        page = f"{base}/live?token={token}"
        for headers in (
            {},
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": f"http://localhost:{port}"},
        ):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await client.ws_connect(page, headers=headers)
            assert refused.value.status == 403
        async with client.get(f"{base}/live?token={token}") as answer:
            assert answer.status == 400
        for path in ("/../guard.py", "/%2e%2e/guard.py", "/__init__.py", "/nothing"):
            async with client.get(f"{base}{path}?token={token}") as answer:
                assert answer.status == 404
        assert not feed.is_open


async def test_a_page_is_told_and_answers_and_acts(feed):
    async with serving(feed, title="shop") as (address, _), browser() as client:
        base, token = split(address)
        async with client.ws_connect(f"{base}/live?token={token}", headers={"Origin": base}) as page:
            hello = json.loads((await page.receive()).data)
            assert (hello["kind"], hello["title"], hello["may_act"]) == ("hello", "shop", True)
            assert hello["fields"]["MessageSeen"][:3] == ["at", "number", "sender"]
            first = json.loads((await page.receive()).data)
            assert (first["number"], first["begins_again"]) == (1, True)
            await page.send_json({"kind": "taken", "number": 1})
            feed.batches.put_nowait([MessageSeen(1.0, 7, "a@c1.x", "b@c1.x", body="hello")])
            parcel = json.loads((await page.receive()).data)
            assert parcel["events"][0][:5] == ["MessageSeen", 1.0, 7, "a@c1.x", "b@c1.x"]
            await page.send_json({"kind": "act", "id": 1, "act": "kill", "arguments": {"agent": "a@c1.x"}})
            done = json.loads((await page.receive()).data)
            assert done == {"kind": "done", "id": 1, "result": None, "error": None}
            await page.send_json({"kind": "act", "id": 2, "act": "kill", "arguments": {"agent": "ams@c1.x"}})
            done = json.loads((await page.receive()).data)
            assert done["error"] == "ams cannot be killed: it is a part of its container"
            assert feed.acts == [("kill", {"agent": "a@c1.x"})]
            await page.send_str("no JSON")
            assert (await page.receive()).type is aiohttp.WSMsgType.CLOSE
        await until(lambda: not feed.is_open)


async def test_a_page_hears_of_the_server_also_where_nothing_happens(feed, monkeypatch):
    monkeypatch.setattr(application, "_ALIVE", 0.01)
    async with serving(feed, title="shop") as (address, _), browser() as client:
        base, token = split(address)
        async with client.ws_connect(f"{base}/live?token={token}", headers={"Origin": base}) as page:
            kinds = []
            while "parcel" not in kinds or kinds.count("alive") < 2:  # in any order: it is told so very often
                kinds.append(json.loads((await page.receive()).data)["kind"])
            assert kinds[0] == "hello"
            assert kinds.count("hello") == kinds.count("parcel") == 1
            await page.send_json({"kind": "taken", "number": 1})
            feed.batches.put_nowait([MessageSeen(1.0, 7, "a@c1.x", "b@c1.x", body="hello")])
            while (said := json.loads((await page.receive()).data))["kind"] == "alive":
                pass
            assert said["events"][0][0] == "MessageSeen"


async def test_a_page_too_many_is_told_so(feed):
    async with serving(feed, title="shop") as (address, _), browser() as client, AsyncExitStack() as pages:
        base, token = split(address)
        for _ in range(16):
            page = client.ws_connect(f"{base}/live?token={token}", headers={"Origin": base})
            assert (await (await pages.enter_async_context(page)).receive_json())["kind"] == "hello"
        async with client.ws_connect(f"{base}/live?token={token}", headers={"Origin": base}) as page:
            said = await page.receive()
            assert said.type is aiohttp.WSMsgType.TEXT  # what the page reads
            reason = "16 pages are open already: close one of them"
            assert json.loads(said.data) == {"kind": "ended", "reason": reason}
            assert (await page.receive()).type is aiohttp.WSMsgType.CLOSE


async def test_a_client_that_leaves_before_it_is_answered_is_no_error(feed, caplog):
    async with serving(feed, title="shop") as (address, _):
        base, token = split(address)
        port = int(base.rpartition(":")[2])
        request = (
            f"GET /live?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {base}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(request.encode())
        async with browser() as another, another.get(f"{base}/?token={token}") as answer:
            assert answer.status == 200
    assert caplog.records == []


async def test_a_port_that_is_taken_is_said_in_one_sentence(feed):
    async with serving(feed, title="shop") as (address, _):
        port = int(split(address)[0].rpartition(":")[2])
        with pytest.raises(UsageError, match=rf"cannot listen on port {port} \(.*\): choose another one"):
            await serve(feed, title="shop", opened=print, port=port)


async def test_it_ends_with_the_feed_and_in_order_where_it_is_cancelled(feed):
    addresses = []
    task = asyncio.create_task(serve(feed, title="shop", opened=addresses.append))
    async with asyncio.timeout(60):
        await until(lambda: addresses)
        base, token = split(addresses[0])
        async with browser() as client:
            page = await client.ws_connect(f"{base}/live?token={token}", headers={"Origin": base})
            await page.receive()
            task.cancel()
            kinds = [message.type async for message in page]
            assert aiohttp.WSMsgType.ERROR not in kinds
            assert page.closed
        await asyncio.wait([task])
        assert task.cancelled()
