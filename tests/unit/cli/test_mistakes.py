"""What is typed wrong: one sentence, as commands say it themselves, and exit code 2."""

from __future__ import annotations

import pytest

from formicary.cli import main


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("server start --port x", "--port is a whole number, not 'x'"),
        ("watch --port -5", "--port is at least 0, not '-5'"),
        ("server start --port 99999", "--port is at most 65535, not '99999'"),
        ("top --every x", "--every is a number, not 'x'"),
        ("top --every nan", "--every is at most 3600, not 'nan'"),
        ("run --mode x", "--mode is one of 'asynchronous', 'synchronous', 'pooled', not 'x'"),
        ("agents --state sleeping", "--state is one of 'active', "),
        ("server start --port", "--port needs a value"),
        ("ps --json=3", "--json takes no value"),
        ("kill", "`formicary kill` needs NAME...: see `formicary kill -h`"),
        ("ps --nosuch", "`formicary ps` has no option --nosuch"),
        ("ps --serve x", "`formicary ps` has no option --serve; did you mean --server?"),
        ("ps -z", "`formicary ps` has no option -z: see `formicary ps -h`"),
        ("ps x y", "`formicary ps` takes no further argument, such as 'x y': see `formicary ps -h`"),
        ("hosst", "`formicary` has no command 'hosst'; did you mean 'hosts'?"),
        ("nosuch", "`formicary` has no command 'nosuch': see `formicary -h`"),
        ("server strat", "`formicary server` has no command 'strat'; did you mean 'start', 'status'?"),
        ("server account add", "`formicary server account add` needs NAME[@DOMAIN]: see"),
        ("bench model x --pairs 0", "--pairs is at least 1, not '0'"),
        ("run --allow-create nosuchpackage", "--allow-create names 'nosuchpackage', and there is no package"),
        ("run --accept a-b", "--accept takes names of packages or modules, such as ['shop'], not 'a-b'"),
    ],
)
def test_it_is_said_in_a_sentence(typed, sentence, capsys):
    with pytest.raises(SystemExit) as ended:
        main(typed.split())
    said = capsys.readouterr().err
    assert said.startswith(f"formicary: {sentence}")
    assert said.count("\n") == 1
    assert ended.value.code == 2


def test_help_is_no_mistake(capsys):
    with pytest.raises(SystemExit):
        main(["server"])
    assert "Usage: formicary server [OPTIONS] COMMAND [ARGS]..." in capsys.readouterr().out
