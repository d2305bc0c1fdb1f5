"""What the other programs of these tests say in conversations: whatever library they say it with.

Each answers a message by its performative, so it can begin a request or a contract net, and take part in one.
"""

ANSWERS = {
    "request": ("inform", "done"),
    "cfp": ("propose", "10"),
    "propose": ("accept-proposal", ""),
    "accept-proposal": ("inform", "delivered"),
}
OPENINGS = (
    ("request", {"performative": "request", "protocol": "fipa-request", "reply-with": "r1"}),
    ("cfp", {"performative": "cfp", "protocol": "fipa-contract-net", "reply-with": "r2"}),
)


def opening(number):
    """Return the body and the parameters of a message that begins a conversation."""
    body, parameters = OPENINGS[number]
    return body, parameters | {"conversation-id": f"c{number}"}


def answer(parameters):
    """Return the body and the parameters of the answer to a message; None where it needs none."""
    said = ANSWERS.get(parameters.get("performative", ""))
    if said is None:
        return None
    performative, body = said
    kept = {name: parameters[name] for name in ("protocol", "conversation-id") if name in parameters}
    if "reply-with" in parameters:
        kept["in-reply-to"] = parameters["reply-with"]
    return body, kept | {"performative": performative, "reply-with": f"to-{performative}"}
