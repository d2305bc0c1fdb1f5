"""A slixmpp client that has conversations, in a process of its own; arguments as of `slixmpp_peer`.

Of ACL it has what docs/wire-format.md says: a data form.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from xml.etree import ElementTree as ET

from slixmpp import ClientXMPP
from trading import OPENINGS, answer, opening

ADDRESS, PASSWORD, PORT, *PARTNER = sys.argv[1:]
FORM = "jabber:x:data"


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Client(ClientXMPP):
    def __init__(self):
        super().__init__(ADDRESS, PASSWORD)
        self.ssl_context.check_hostname = False
        self.ssl_context.verify_mode = ssl.CERT_NONE
        self.add_event_handler("session_start", self.begin)
        self.add_event_handler("message", self.take)

    async def begin(self, _event):
        self.send_presence()
        await self.get_roster()
        say("ready")
        for partner in PARTNER:
            for number in range(len(OPENINGS)):
                self.tell(partner, *opening(number))

    def tell(self, partner, body, parameters):
        message = self.make_message(partner, body, mtype="chat")
        form = ET.SubElement(message.xml, f"{{{FORM}}}x", type="form")
        ET.SubElement(form, f"{{{FORM}}}title").text = "spade:x:metadata"
        for name, value in parameters.items():
            field = ET.SubElement(form, f"{{{FORM}}}field", var=name, type="text-single")
            ET.SubElement(field, f"{{{FORM}}}value").text = value
        message.send()

    def take(self, message):
        fields = message.xml.iterfind(f"{{{FORM}}}x/{{{FORM}}}field")
        parameters = {field.get("var"): field.findtext(f"{{{FORM}}}value") for field in fields}
        say(json.dumps([parameters.get("performative"), message["body"]]))
        if (said := answer(parameters)) is not None:
            self.tell(message["from"], *said)


async def main():
    client = Client()
    client.connect("127.0.0.1", int(PORT))
    await asyncio.to_thread(sys.stdin.read)
    client.disconnect()
    await client.disconnected


if __name__ == "__main__":
    asyncio.run(main())
