"""Errors in the command line: one sentence, like those of commands, and exit code 2."""

from __future__ import annotations

import pytest

from formicary.cli import main


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("server start --port x", "--port must be a whole number, not 'x'"),
        ("watch --port -5", "--port must be at least 0, not '-5'"),
        ("server start --port 99999", "--port must be at most 65535, not '99999'"),
        ("top --every x", "--every must be a number, not 'x'"),
        ("top --every nan", "--every must be at most 3600, not 'nan'"),
        ("run --mode x", "--mode must be one of 'asynchronous', 'synchronous', 'pooled', not 'x'"),
        ("agents --state sleeping", "--state must be one of 'active', "),
        ("server start --port", "--port needs a value"),
        ("ps --json=3", "--json takes no value"),
        ("kill", "`formicary kill` needs NAME...: see `formicary kill -h`"),
        ("ps --nosuch", "`formicary ps` has no option --nosuch"),
        ("ps --serve x", "`formicary ps` has no option --serve; did you mean --server?"),
        ("ps -z", "`formicary ps` has no option -z: see `formicary ps -h`"),
        ("ps x y", "unexpected argument for `formicary ps`: 'x y': see `formicary ps -h`"),
        ("hosst", "`formicary` has no command 'hosst'; did you mean 'hosts'?"),
        ("nosuch", "`formicary` has no command 'nosuch': see `formicary -h`"),
        ("server strat", "`formicary server` has no command 'strat'; did you mean 'start', 'status'?"),
        ("server account add", "`formicary server account add` needs NAME[@DOMAIN]: see"),
        ("bench model x --pairs 0", "--pairs must be at least 1, not '0'"),
        ("run --allow-create nosuchpackage", "--allow-create names 'nosuchpackage', and there is no package"),
        ("run --accept a-b", "--accept takes package or module names, such as ['shop'], not 'a-b'"),
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
