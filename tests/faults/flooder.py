"""A client that floods a server with stanzas to agents that do not exist.

    python -m tests.faults.flooder PORT DOMAIN USER PASSWORD SUBSCRIPTIONS MESSAGES

It sends subscription requests to agents that do not exist in the container `c1`, then messages to such
agents, as fast as it can; reads all answers; and prints `sent` when done. It stays connected until its stdin
ends.
"""

from __future__ import annotations

import asyncio
import base64
import re
import sys

_SASL = "urn:ietf:params:xml:ns:xmpp-sasl"
_BIND = "urn:ietf:params:xml:ns:xmpp-bind"
_ANSWER = re.compile(rb"<(?:presence|message|iq)\b[^>]*\btype='(?:unsubscribed|error)'")
_LONGEST_TAG = 1000  # bytes


class Client:
    """A minimal XMPP client: it logs in, and sends and reads plain text.

    Args:
        port: the server's port for clients on loopback.
        domain: the account's.
    """

    def __init__(self, port: int, domain: str) -> None:
        self.port = port
        self.domain = domain
        self.answers = 0  # refusals and errors so far
        self.seen = b""  # what has come last
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def connect(self) -> None:
        """Connect, and open the stream."""
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self._open()

    async def log_in(self, user: str, password: str, resource: str = "flood") -> None:
        """Connect, log in and bind a resource; errors as of `until`."""
        await self.connect()
        plain = base64.b64encode(f"\0{user}\0{password}".encode()).decode()
        self.write(f"<auth xmlns='{_SASL}' mechanism='PLAIN'>{plain}</auth>")
        await self.until(b"<success")
        self._open()
        self.write(
            f"<iq type='set' id='bind'><bind xmlns='{_BIND}'><resource>{resource}</resource></bind></iq>"
            "<iq type='get' id='roster'><query xmlns='jabber:iq:roster'/></iq><presence/>"
        )
        await self.until(b"id='roster'")

    def _open(self) -> None:
        self.write(
            f"<stream:stream to='{self.domain}' version='1.0' xmlns='jabber:client' "
            "xmlns:stream='http://etherx.jabber.org/streams'>"
        )

    def write(self, text: str) -> None:
        """Send text."""
        self.writer.write(text.encode())

    async def read(self) -> bool:
        """Read, count answers, and return whether more may come."""
        data = await self.reader.read(1 << 20)
        text = self.seen[-_LONGEST_TAG:] + data
        known = len(_ANSWER.findall(self.seen[-_LONGEST_TAG:]))
        self.answers += len(_ANSWER.findall(text)) - known
        self.seen = text
        return bool(data)

    async def until(self, text: bytes) -> None:
        """Read until a text has come.

        Raises:
            ConnectionError: the server has closed the connection.
        """
        while text not in self.seen:
            if not await self.read():
                raise ConnectionError(f"the server closed the connection after {self.seen[-500:]!r}")

    async def until_answered(self, count: int) -> None:
        """Read until there have been so many answers; errors as of `until`."""
        while self.answers < count:
            if not await self.read():
                raise ConnectionError(f"the server closed the connection after {self.answers} answers")

    async def close(self) -> None:
        """Close the connection."""
        self.writer.close()
        await self.writer.wait_closed()


async def main() -> None:
    """Flood, and print progress."""
    port, domain, user, password, subscriptions, messages = sys.argv[1:]
    client = Client(int(port), domain)
    await client.log_in(user, password)
    reading = asyncio.create_task(client.until_answered(int(subscriptions) + int(messages)))
    for number in range(int(subscriptions)):
        client.write(f"<presence type='subscribe' to='nobody{number}@c1.{domain}'/>")
        await client.writer.drain()
    for number in range(int(messages)):
        client.write(
            f"<message to='nobody{number}@c1.{domain}' id='m{number}'><body>Anybody?</body></message>"
        )
        await client.writer.drain()
    sys.stdout.write("sent\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    reading.cancel()
    await client.close()


if __name__ == "__main__":
    asyncio.run(main())
