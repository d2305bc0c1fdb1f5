"""Frames are read as fast as servers write them; everything else goes to the parser as it came."""

from __future__ import annotations

import pytest

from formicary.transport.link.frames import NAMESPACE
from formicary.transport.xmpp.frame_reader import FrameReader

FRAME = f"<message from='c2.lab.localhost' id='1'><frame xmlns='{NAMESPACE}'>AAAA</frame></message>".encode()
ONE = [("c2.lab.localhost", b"AAAA")]


class Reader(FrameReader):
    """Keeps the frames that it has passed on."""

    def __init__(self, frame_type=None):
        self.came = []
        super().__init__(frame_type, lambda origin, text: self.came.append((origin, text)))


@pytest.mark.parametrize("cut", range(1, len(FRAME)))
def test_a_frame_is_not_parsed_wherever_it_is_cut(cut):
    reader = Reader()
    for data in (FRAME[:cut], FRAME[cut:] + FRAME[:cut], FRAME[cut:]):
        assert reader.read(data, True) == b""
    assert reader.came == ONE * 2


def test_inside_a_stanza_nothing_is_a_frame_and_only_a_tags_beginning_waits():
    reader = Reader()
    assert reader.read(FRAME + b"<bo", False) == FRAME
    assert reader.read(b"dy/>", False) == b"<body/>"
    assert reader.came == []


def test_a_frame_from_what_is_no_text_is_passed_on():
    reader = Reader()
    assert reader.read(FRAME.replace(b"c2", b"c\xff") + FRAME, True) == b""
    assert reader.came == [("c\ufffd.lab.localhost", b"AAAA"), *ONE]


def test_the_senders_of_frames_are_told_apart_however_many_there_are():
    reader = Reader()
    senders = [f"c{number}.lab.localhost" for number in range(1500)]
    order = [*senders, *reversed(senders)]
    reader.read(b"".join(FRAME.replace(b"c2.lab.localhost", sender.encode()) for sender in order), True)
    long = FRAME.replace(b"c2", b"c" * 10_000)
    reader.read(long + FRAME + long, True)
    assert [sender for sender, _ in reader.came[:-3]] == order
    assert [len(sender) for sender, _ in reader.came[-3:]] == [10_014, 16, 10_014]
    assert sum(map(len, reader.origins)) < 1000 * 200


def test_what_is_like_a_frame_but_of_another_type_is_parsed_each_time():
    reader = Reader()
    other = FRAME.replace(b"<message ", b"<message type='chat' ")
    assert [reader.read(FRAME + other, True) for _ in range(2)] == [other] * 2
    assert reader.came == ONE * 2


def test_an_accounts_frames_are_of_its_own_type():
    reader = Reader(b"groupchat")
    frame = FRAME.replace(b"<message ", b"<message type='groupchat' ")
    assert reader.read(frame + FRAME, True) == FRAME
    assert reader.came == ONE
