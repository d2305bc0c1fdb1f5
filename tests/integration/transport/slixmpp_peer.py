"""A slixmpp client, in a process of its own: its deprecation warnings are its own business.

Arguments: address, password, port, and whom to write to, or nothing. It reports each message that it gets as
a line of JSON, and answers it unless it is an answer.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys

from slixmpp import ClientXMPP

ADDRESS, PASSWORD, PORT, *PARTNER = sys.argv[1:]


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Client(ClientXMPP):
    def __init__(self):
        super().__init__(ADDRESS, PASSWORD)
        self.ssl_context.check_hostname = False
        self.ssl_context.verify_mode = ssl.CERT_NONE
        self.add_event_handler("session_start", self.begin)
        self.add_event_handler("message", self.answer)
        self.add_event_handler("message_error", self.answer)

    async def begin(self, _event):
        self.send_presence()
        await self.get_roster()
        say("ready")
        for partner in PARTNER:
            message = self.make_message(partner, "hello ü <&>\n", mtype="chat")
            message["thread"] = "t1"
            message["id"] = "m1"
            message.send()

    def answer(self, message):
        kind = message["type"]
        error = message["error"]["text"] if kind == "error" else None
        values = {
            "sender": str(message["from"]),
            "body": message["body"],
            "thread": message["thread"],
            "type": kind,
            "error": error,
        }
        say(json.dumps(values))
        if kind != "error" and message["body"].endswith("?"):
            reply = message.reply("yes")
            reply["thread"] = message["thread"]
            reply.send()


async def main():
    client = Client()
    client.connect("127.0.0.1", int(PORT))
    await asyncio.to_thread(sys.stdin.read)
    client.disconnect()
    await client.disconnected


if __name__ == "__main__":
    asyncio.run(main())
