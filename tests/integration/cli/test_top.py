"""`formicary top` on a platform that runs."""

from __future__ import annotations

import json
import signal

import pytest


def test_once_shows_all_containers_and_their_links(running):
    text = running.said("top", "--once", "--every", "0.2")
    heading, first, second, *_ = text.splitlines()
    assert heading.split()[:3] == ["CONTAINER", "HOST", "PID"]
    assert [first.split()[0], second.split()[0]] == ["c1", "c2"]
    assert "c1 - c2  direct" in text
    assert "cli-" not in text


def test_json_is_a_line_for_each_look_until_it_is_ended(running):
    process = running.start("top", "--json", "--every", "0.1")
    looks = [json.loads(process.stdout.readline()) for _ in range(3)]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (130, "")
    for look in looks:
        assert [each["figures"]["name"] for each in look["containers"]] == ["c1", "c2"]
        assert look["missing"] == []
        assert all(each["rates"]["seconds"] > 0 for each in look["containers"])
    clocks = [look["containers"][0]["figures"]["clock_s"] for look in looks]
    assert clocks == sorted(set(clocks))


def test_cpu_by_group_is_shown_of_a_container_that_accounts_for_it(lab):
    with lab.run("--listen", "--cpu-by-group"):
        (each,) = json.loads(lab.said("top", "--once", "--every", "0.2", "--json"))["containers"]
        assert set(each["rates"]["cpu_by_group"]) == {
            "runtime", "agents", "communication", "directory", "platform",
        }  # fmt: skip
        assert "CPU %  AGENTS" in lab.said("top", "--once", "--every", "0.2")


def test_who_blocks_the_loop_is_shown(lab):
    with lab.run("--listen"):
        lab.said("create", "shop:Dozer", "dozer")
        lab.until(lambda: "BLOCKS THE LOOP" in lab.said("top", "--once", "--every", "0.2"))
        (each,) = json.loads(lab.said("top", "--once", "--every", "0.2", "--json"))["containers"]
        (blocker,) = each["figures"]["blockers"]
        assert blocker["name"] == "dozer/Doze"
        assert blocker["where"].startswith("shop.py:")
        assert each["figures"]["blocked"] >= blocker["times"] >= 1


def test_a_platform_that_ends_ends_it_with_one_sentence(lab):
    with lab.run("--listen") as container:
        process = lab.start("top", "--json", "--every", "0.1")
        process.stdout.readline()
        container.send_signal(signal.SIGTERM)
        container.wait()
        _, err = process.communicate()
    assert process.returncode in {1, 3}
    assert err.startswith("formicary: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("every", ["0", "-1", "often"])
def test_a_time_that_is_none_is_refused(lab, every):
    done = lab.ask("top", "--every", every)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--every" in done.stderr
