"""Fuzzing of bytes from outside: invalid ones are refused as designed, and change nothing.

`FORMICARY_FUZZ_SECONDS=600 pytest tests/property/transport/test_fuzz.py` searches longer.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter

import msgspec
import pytest
from pybase64 import b64decode, b64encode
from tests.property.transport.fuzzer import SECONDS, fuzz
from tests.unit.transport.streams import HEADER as STREAM_HEADER
from tests.unit.transport.streams import Stream, Wire

from formicary.core.message import Message
from formicary.errors import FormicaryError, LinkError, UsageError
from formicary.transport.addresses import JoinAddress, Offer
from formicary.transport.direct.connection import LONGEST_FRAME, DirectConnection
from formicary.transport.direct.opening import AcceptorOpening, DiallerOpening, OpeningError
from formicary.transport.link.frames import NAMESPACE, decode, encode, from_entry, to_entry
from formicary.transport.link.header import (
    ACK,
    BUSY,
    CLOSE,
    DATA,
    HEADER,
    HELLO,
    LOST,
    PART,
    PING,
    PONG,
    SessionParameters,
    read_parameters,
    write_parameters,
)
from formicary.transport.link.instructions import Transmit
from formicary.transport.link.paths import PASS_ON, PASSED_ON, RETURNED, unwrap, wrap
from formicary.transport.link.session import Session
from formicary.transport.link.wire_names import Names, WireNames

if SECONDS:
    pytestmark = pytest.mark.timeout(0)

OWN, PEER = "c1.lab.localhost", "c2.lab.localhost"
MESSAGES = [
    Message(to=f"a@{OWN}", sender=f"b@{PEER}", body="hello", performative="inform"),
    Message(to=f"a@{OWN}", sender=f"b@{PEER}", body=b"\0\xff", thread="t", metadata={"k": "v"}),
    Message(to=(f"a@{OWN}", f"é日@{OWN}"), sender=f"b@{PEER}", reply_with="7", reply_to=f"c@{PEER}"),
]
BATCHES = [
    encode([to_entry(message, message.receivers[0], *map(WireNames, (OWN, PEER))) for message in some])
    for some in (MESSAGES, MESSAGES[:1], MESSAGES[1:2], MESSAGES[2:], [])
]
OFFER = Offer(host="h", unix="/u", tcp=(("127.0.0.1", 5),), tls=True, certificate=b"c", key=bytes(32))
# Small, so that all limits are reached.
TERMS = SessionParameters(frame_limit=2048, window_frames=8, window_bytes=8192, message_limit=8192)


def test_batches():
    receivers, senders = Names(OWN), Names(PEER)

    def take(data):
        try:
            entries = decode(data)
        except ValueError:
            return False
        for entry in entries:
            try:
                message, receiver = from_entry(entry, receivers, senders)
            except ValueError:
                continue
            message.check()
            assert receiver.endswith(f"@{OWN}")
            assert message.sender.endswith(f"@{PEER}")
        return True

    fuzz(BATCHES, take)


def test_what_is_passed_on():
    def take(data):
        try:
            kind, domain, inner = unwrap(data)
        except ValueError:
            return False
        assert wrap(kind, domain, inner) == data
        return True

    fuzz([wrap(kind, OWN, batch) for kind in (PASS_ON, PASSED_ON, RETURNED) for batch in BATCHES], take)


def test_hellos():
    def take(data):
        try:
            parameters = read_parameters(data)
            if parameters.offer is not None:
                msgspec.convert(parameters.offer, Offer)
        except ValueError:  # msgspec's are, too
            return False
        assert len(write_parameters(parameters)) < 3 * len(data) + 100
        return True

    parameters = (TERMS, SessionParameters(), SessionParameters(offer=OFFER, previous=(1, 2, 3)))
    fuzz(map(write_parameters, parameters), take)


def test_addresses_to_join():
    def take(data):
        try:
            address = JoinAddress.parse(data.decode("latin-1"))
        except UsageError as error:
            sentence = str(error)
        else:
            assert JoinAddress.parse(str(address)) == address
            return True
        assert "\n" not in sentence
        return False

    address = JoinAddress(
        host="h", unix=None, tcp=(("::1", 5),), tls=True, domain=OWN, fingerprint=bytes(32), key=bytes(32)
    )
    fuzz([str(address).encode()], take)


def test_what_comes_from_an_xmpp_server():
    corpus = [
        f"<message to='{OWN}' from='{PEER}' id='f1'><frame xmlns='{NAMESPACE}'>".encode()
        + b64encode(HEADER.pack(DATA, 1, 2, 3, 4) + batch)
        + b"</frame></message>"
        for batch in BATCHES
    ] + [f"<message from='x@y.z/r' to='a@{OWN}' type='error'><body>hi</body></message>".encode()]

    async def run():
        def take(data):
            stream = Stream()
            stream.feed(STREAM_HEADER + "<handshake/>")
            half = len(data) // 2
            stream.feed(data[:half])
            stream.feed(data[half:])
            assert stream.ended is None or isinstance(stream.ended, FormicaryError)
            for what in stream.came:
                if isinstance(what[1], bytes):
                    try:
                        b64decode(what[1], validate=True)
                    except ValueError:
                        return False
            return stream.ended is None

        fuzz(corpus, take)

    asyncio.run(run())


# -- direct connections -------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_token", [False, True])
def test_openings(by_token):
    """Outsiders without the key are refused with a reason, whatever they say."""
    key, nonces = bytes(range(32)), (b"d" * 32, b"a" * 32)

    def both():
        dialler = DiallerOpening(PEER, OWN, key, by_token=by_token, certificate=key, nonce=nonces[0])
        acceptor = AcceptorOpening(
            OWN,
            key_of=lambda *_: key,
            admit=lambda _: "no" if by_token else None,
            certificate=key,
            nonce=nonces[1],
        )
        return dialler, acceptor

    dialler, acceptor = both()
    first = dialler.first()
    challenge = acceptor.received(first)
    proof = dialler.received(challenge)

    def take_as_acceptor(data):
        _, acceptor = both()
        try:
            acceptor.received(data[: len(first)])
            acceptor.received(data[len(first) :])
        except OpeningError as error:
            return data == first + proof and len(error.answer) < 2000
        assert acceptor.is_done == data.startswith(first + proof)
        assert acceptor.is_done or len(acceptor.rest) < 1000
        return acceptor.is_done

    def take_as_dialler(data):
        dialler, _ = both()
        try:
            for start in range(0, len(data), 64):
                dialler.received(data[start : start + 64])
        except LinkError as error:
            sentence = str(error)
        else:
            sentence = ""
        assert sentence.isprintable()
        assert not dialler.is_done or data.startswith(challenge)
        assert len(dialler.rest) < 2000 or dialler.is_done
        return data == challenge

    fuzz([first + proof], take_as_acceptor)
    fuzz([challenge], take_as_dialler)


def test_frames_on_a_direct_connection():
    frames = [HEADER.pack(kind, 1, 2, 3, 4) + batch for kind in (DATA, PART, ACK) for batch in BATCHES]
    streams = [
        b"".join(len(frame).to_bytes(4) + frame for frame in some)
        for some in (frames, frames[:1], frames[3:5])
    ]
    cuts = random.Random(1)

    async def run():
        def take(data):
            came = []
            dropped = Counter()
            connection = DirectConnection(
                wire := DirectWire(), PEER, is_dialler=True, description="", rest=b"", dropped=dropped
            )
            connection.start(
                on_frame=came.append, on_read_end=lambda: None, on_room=lambda _: None, on_lost=lambda _: None
            )
            position = 0
            while position < len(data) and not wire.aborted:
                step = cuts.choice((1, 3, 50, 1000, len(data)))
                connection.data_received(data[position : position + step])
                position += step
            expected, is_refused = cut(data)
            assert came == expected
            assert wire.aborted == is_refused == bool(dropped)
            return not is_refused and bool(came)

        fuzz(streams, take)

    asyncio.run(run())


class DirectWire(Wire):
    """A wire on which reading can be paused."""

    def __init__(self):
        super().__init__(None)

    def resume_reading(self):
        pass

    def get_extra_info(self, name):
        assert name in {"ssl_object", "socket"}  # there is no TLS, and no socket either


def cut(data):
    """Return the frames in some bytes, and whether one is too long."""
    frames = []
    while len(data) >= 4:
        length = int.from_bytes(data[:4])
        if length > LONGEST_FRAME:
            return frames, True
        if len(data) < 4 + length:
            break
        frames.append(data[4 : 4 + length])
        data = data[4 + length :]
    return frames, False


# -- sessions -----------------------------------------------------------------------------------------------


class Pair:
    """Two ends of a link with a perfect path between them, and time. Both send numbers."""

    def __init__(self):
        numbers = itertools.count(1)
        self.now = 0.0
        self.ends = [Session(lambda: next(numbers), TERMS) for _ in range(2)]
        self.sent = [0, 0]
        self.received = [0, 0]
        for end in self.ends:
            end.use_path(self.now)
        self.ends[0].connect(self.now)
        self.settle()
        assert all(end.is_open for end in self.ends)
        self.on_its_way = self.send(1)

    def send(self, end):
        """Let an end send a number; return the frame, not yet delivered."""
        frame = self.ends[end].send(b"%d" % self.sent[end], self.sent[end])
        assert frame is not None
        self.sent[end] += 1
        return frame

    def take(self, end, frame):
        """Deliver a frame of the other end."""
        batch = self.ends[end].receive(frame, self.now)
        if batch is not None:
            assert bytes(batch) == b"%d" % self.received[end]
            self.received[end] += 1

    def settle(self):
        """Deliver all frames until both are silent."""
        for _ in range(20):
            said = [self.said(end) for end in (0, 1)]
            if not any(said):
                return
            for end in (0, 1):
                for frame in said[1 - end]:
                    self.take(end, frame)
        raise AssertionError("they talk for ever")

    def said(self, end):
        instructions = self.ends[end].take_instructions()
        frames = [what.frame for what in instructions if isinstance(what, Transmit)]
        assert sum(map(len, frames)) < 2 * TERMS.window_bytes, "a little makes it say very much"
        return frames

    def talk(self):
        """Deliver frames in transit, each twice: each end gets exactly what the other sent."""
        self.now += 0.3
        for end in (0, 1):
            self.ends[end].tick(self.now)
        self.take(0, self.on_its_way)
        self.take(1, self.send(0))
        self.settle()
        assert self.received == self.sent[::-1]
        self.on_its_way = self.send(1)

    def state(self):
        """Return the second end's state that no foreign frame may change."""
        end = self.ends[1]
        return (
            end.state,
            end.incarnations,
            end.counters.received,
            end.unacknowledged,
            bytes(end.receiving.parts),
        )


def frames_of(pair):
    """Return a valid frame of each kind to the second end of a pair, as its next."""
    own, peer = pair.ends[0].incarnations
    heads = [(kind, own, peer, pair.sent[0] + 1, 0) for kind in (DATA, PART, CLOSE)]
    heads += [(kind, own, peer, number, 1) for kind in (ACK, PING, PONG, LOST, BUSY) for number in (0, 1)]
    frames = [HEADER.pack(*head) + (BATCHES[0] if head[0] in {DATA, PART} else b"") for head in heads]
    hellos = [(own, peer, 5, 0), (own, 0, 5, 0), (own + 90, 0, 5, 0), (own, peer, 0, 7)]
    return frames + [HEADER.pack(HELLO, *head) + write_parameters(TERMS) for head in hellos]


def test_sessions():
    """A hostile frame changes nothing, or counts as the other end's own; then both continue in order."""
    pair = Pair()
    pair.talk()
    choose = random.Random(1).choice

    def take(data):
        nonlocal pair
        if choose((True, False)):  # a number that is, or nearly is, the next one gets further
            number = pair.sent[0] + choose((0, 1, 1, 2))
            data = data[:_NUMBER] + number.to_bytes(8) + data[_NUMBER + 8 :]
        before = pair.state()
        try:
            batch = pair.ends[1].receive(data, pair.now)
        except ValueError:
            assert pair.state() == before
            is_good = False
        else:
            taken = pair.ends[1].counters.received - before[2]
            assert taken in {0, 1}
            assert batch is None or (taken == 1 and data[0] == DATA)
            assert len(pair.ends[1].receiving.parts) <= TERMS.message_limit
            is_good = True
        if pair.state() == before:
            pair.settle()
        else:  # it was as good as one of the other end's own, and has taken its place
            pair.said(1)
            pair = Pair()
        pair.talk()
        return is_good

    fuzz(frames_of(pair), take)


_NUMBER = HEADER.size - 16  # where a frame's number stands
