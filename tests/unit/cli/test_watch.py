"""`formicary watch` of recordings, and what it refuses."""

import json

import pytest

from formicary.cli import main
from formicary.observe.events import AgentSeen, MessageSeen
from formicary.observe.recording import Recorder


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "shop.formicary"
    recorder = Recorder(path)
    recorder.write(
        [
            AgentSeen(1.0, "ann@c1.lab", "c1", "Seller", "active"),
            MessageSeen(2.0, 1, "ann@c1.lab", "bob@c1.lab", "request", conversation="sale", body="nails"),
            MessageSeen(3.0, 2, "bob@c1.lab", "ann@c1.lab", "inform", conversation="sale", body="done"),
            MessageSeen(4.0, 3, "bob@c1.lab", "ann@c1.lab", "inform", conversation="other"),
        ]
    )
    recorder.close()
    return path


def watch(*arguments):
    """Run the command, and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["watch", *map(str, arguments)])
    return ended.value.code


def test_a_conversation_is_written_as_a_picture_or_a_table(recording, tmp_path, capsys):
    drawing = tmp_path / "sale.svg"
    assert watch(recording, "--conversation", "sale", "--export", drawing) == 0
    assert capsys.readouterr().out.split() == ["wrote", "2", "messages", "to", str(drawing)]
    assert "request nails" in drawing.read_text()
    assert watch(recording, "--export", tmp_path / "all.csv") == 0
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 4
    capsys.readouterr()
    assert watch(recording, "--json", "--conversation", "sale") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["body"] for line in lines] == ["nails", "done"]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["FILE", "--conversation", "none", "--export", "x.svg"], 2, "it has 2, such as sale, other"),
        (["FILE", "--export", "x.png"], 2, "must end in .mmd, .svg or .csv"),
        (["FILE", "--allow", "act"], 2, "--allow requires a running platform"),
        (["FILE", "--record", "x"], 2, "--record requires a running platform"),
        (["FILE"], 2, "there is no terminal to show the view in"),
        (["missing"], 2, "there is no terminal to show the view in"),
        (["missing", "--json"], 3, "no recording missing"),
        (["--speed", "2"], 2, "--speed requires a recording"),
        ([], 2, "there is no terminal to show the view in"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(recording, arguments, code, sentence, capsys):
    assert watch(*[recording if each == "FILE" else each for each in arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_what_is_not_installed_is_said_with_how_to_install_it(recording, monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert watch(recording, "--web") == 2
    assert "pip install 'formicary[live]'" in capsys.readouterr().err
