"""The page about direct links agrees with the code."""

from __future__ import annotations

import re
from pathlib import Path

from tests.plugins.paths import ROOT

import formicary.transport.direct
from formicary.transport.addresses import JoinAddress
from formicary.transport.direct import Offer
from formicary.transport.direct.connection import LONGEST_FRAME
from formicary.transport.direct.opening import DiallerOpening

PAGE = (ROOT / "docs" / "direct-links.md").read_text(encoding="utf-8")


def part(title):
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_offers_and_join_addresses_have_their_elements_in_this_order():
    places = re.findall(r"^\| (\d) \| `(\w+)`", part("Offers"), re.MULTILINE)
    assert [(int(place), name) for place, name in places] == list(enumerate(Offer.__struct_fields__))
    further = re.findall(r"^\| (\d) \| `(\w+)`", part("Join addresses"), re.MULTILINE)
    assert [(int(place), name) for place, name in further] == list(enumerate(JoinAddress.__struct_fields__))[
        4:
    ]
    assert JoinAddress.__struct_fields__[:4] == Offer.__struct_fields__[:4]


def test_the_example_computes_what_a_container_says():
    names = {}
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], names)
    key = b"k" * 32
    for joins in (False, True):
        opening = DiallerOpening(
            "c2.lab.localhost",
            "c1.lab.localhost",
            key,
            by_token=joins,
            certificate=b"c" * 32,
            nonce=b"n" * 32,
        )
        hello = names["hello"]("c2.lab.localhost", "c1.lab.localhost", b"n" * 32, joins)
        assert opening.first() == hello
        answer = names["proof"](b"acceptor", key, hello, b"N" * 32, b"c" * 32)
        proof = names["proof"](b"dialler", key, hello, b"N" * 32, b"c" * 32)
        assert opening.received(b"formicary\x01" + b"N" * 32 + answer) == proof


def test_every_reason_is_explained():
    folder = Path(formicary.transport.direct.__file__).parent
    files = [*folder.glob("*.py"), folder.parent / "accepting.py"]
    code = "\n".join(file.read_text(encoding="utf-8") for file in files)
    counted = set(re.findall(r'(?:OpeningError\(|dropped\[)"([a-zA-Z ]+)"', code)) | {
        "no TLS",
        "closed early",
    }
    assert set(re.findall(r"^\| `([a-zA-Z ]+)` \|", part("Reasons"), re.MULTILINE)) == counted


def test_the_longest_frame_is_documented():
    assert f"at most\n{LONGEST_FRAME} bytes" in part("Frames on the connection")
