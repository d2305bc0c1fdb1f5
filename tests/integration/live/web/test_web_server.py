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
    base, _, token = address.partition("/#token=")
    return base, token


def look(client, base, token, **headers):
    """Open a page's web socket."""
    headers = {"Origin": base} | headers
    return client.ws_connect(f"{base}/live", headers=headers, protocols=["formicary", token])


async def test_the_files_are_everybodys_and_set_no_cookie(feed):
    async with serving(feed, title="a secret name") as (address, _), browser() as client:
        base, token = split(address)
        for path, kind in (("/", "text/html"), ("/live.css", "text/css"), ("/main.js", "text/javascript")):
            async with client.get(base + path) as answer:
                assert (answer.status, answer.content_type) == (200, kind)
                assert "Set-Cookie" not in answer.headers
                text = await answer.text()
                assert token not in text
                assert "a secret name" not in text
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'; script-src 'self' 'sha256-" in policy
        assert "; style-src 'self'; " in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        for path in ("/../guard.py", "/%2e%2e/guard.py", "/__init__.py", "/nothing"):
            async with client.get(base + path) as answer:
                assert answer.status == 404
        async with client.post(base) as answer:
            assert answer.status == 405
        assert not feed.is_open


async def test_only_a_page_that_has_the_token_is_told_anything(feed):
    async with serving(feed, title="shop") as (address, _), browser() as client:
        base, token = split(address)
        cookie = {"Cookie": f"formicary-live-{base.rpartition(':')[2]}={token}"}
        for protocols in ([], ["formicary"], ["formicary", token[:-1]], ["formicary", f"{token}x"], [token]):
            headers = {"Origin": base, **cookie}
            async with client.ws_connect(
                f"{base}/live?token={token}", headers=headers, protocols=protocols
            ) as page:
                said = (await page.receive()).json()
                assert said["kind"] == "ended"
                assert said["reason"].startswith("Invalid token: open the address")
                await page.send_json(
                    {"kind": "act", "id": 1, "act": "kill", "arguments": {"agent": "a@c1.x"}}
                )
                assert (await page.receive()).type is aiohttp.WSMsgType.CLOSE
        assert feed.acts == []
        assert feed.opened == 0
        async with look(client, base, token) as page:
            assert page.protocol == "formicary"  # and not the token, which nobody needs to hear again
            assert (await page.receive_json())["kind"] == "hello"


async def test_other_names_and_other_pages_are_refused(feed):
    async with serving(feed, title="shop") as (address, _), browser() as client:
        base, token = split(address)
        port = base.rpartition(":")[2]
        for host in (f"evil.example:{port}", "127.0.0.1", f"127.0.0.1.evil.example:{port}", f"[::1]:{port}"):
            async with client.get(base, headers={"Host": host}) as answer:
                assert answer.status == 403
                assert "Wrong host name" in await answer.text()
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await look(client, base, token, Host=host, Origin=f"http://{host}")
            assert refused.value.status == 403
        origins = (
            "http://evil.example",
            "null",
            f"http://localhost:{port}",
            "http://127.0.0.1:1",
            f"https{base[4:]}",
        )
        for origin in origins:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await look(client, base, token, Origin=origin)
            assert refused.value.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{base}/live", protocols=["formicary", token])  # without any
        assert refused.value.status == 403
        async with client.get(f"{base}/live") as answer:
            assert answer.status == 400
        assert not feed.is_open


async def test_a_crowd_that_says_nothing_keeps_no_page_out(feed):
    async with serving(feed, title="shop") as (address, _), browser() as client, AsyncExitStack() as left:
        base, token = split(address)
        port = int(base.rpartition(":")[2])
        before = await left.enter_async_context(look(client, base, token))
        crowd = []
        for _ in range(400):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            left.callback(writer.close)
            crowd.append(reader)
        async with client.get(f"{base}/main.js") as answer:
            assert answer.status == 200
        async with look(client, base, token) as page:
            assert (await page.receive_json())["kind"] == "hello"
        await until(lambda: sum(reader.at_eof() for reader in crowd) >= 400 - 64)  # so many places there are
        await before.send_json({"kind": "act", "id": 1, "act": "resume", "arguments": {"agent": "a@c1.x"}})
        await until(lambda: feed.acts)


async def test_a_page_is_told_and_answers_and_acts(feed):
    async with serving(feed, title="shop") as (address, _), browser() as client:
        base, token = split(address)
        async with look(client, base, token) as page:
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
        async with look(client, base, token) as page:
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
            page = look(client, base, token)
            assert (await (await pages.enter_async_context(page)).receive_json())["kind"] == "hello"
        async with look(client, base, token) as page:
            said = await page.receive()
            assert said.type is aiohttp.WSMsgType.TEXT  # what the page reads
            reason = "16 pages are already open: close one of them"
            assert json.loads(said.data) == {"kind": "ended", "reason": reason}
            assert (await page.receive()).type is aiohttp.WSMsgType.CLOSE


async def test_a_client_that_leaves_before_it_is_answered_is_no_error(feed, caplog):
    async with serving(feed, title="shop") as (address, _):
        base, token = split(address)
        port = int(base.rpartition(":")[2])
        request = (
            f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {base}\r\n"
            f"Sec-WebSocket-Protocol: formicary, {token}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(request.encode())
        async with browser() as another, another.get(base) as answer:
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
            page = await look(client, base, token)
            await page.receive()
            task.cancel()
            kinds = [message.type async for message in page]
            assert aiohttp.WSMsgType.ERROR not in kinds
            assert page.closed
        await asyncio.wait([task])
        assert task.cancelled()
