"""`formicary watch` on a platform that runs."""

from __future__ import annotations

import json
import signal

from formicary.core.errors import StoreError
from formicary.observe.recording import Recording


def test_json_has_the_agents_of_all_containers(running):
    process = running.start("watch", "--json")
    containers, agents = set(), set()
    while containers != {"c1", "c2"} or not agents:
        event = json.loads(process.stdout.readline())
        if event["event"] == "Figures":
            containers |= {each["name"] for each in event["containers"]}
            agents |= {each["name"].partition(".")[0] for each in event["agents"]}
    assert "laser@c2" in agents
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (130, "")


def test_what_is_recorded_without_a_terminal_can_be_read(running, tmp_path):
    path = tmp_path / "shop.formicary"
    process = running.start("watch", "--record", str(path))
    assert "recording " in process.stderr.readline()

    def is_there():
        try:
            with Recording(path) as recording:
                return {each.name for each in recording.state(recording.span[1]).containers} == {"c1", "c2"}
        except StoreError:  # nothing is in it yet
            return False

    running.until(is_there)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    assert is_there()
