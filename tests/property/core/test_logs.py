"""Each log record is one line, which begins as the program's format says."""

from __future__ import annotations

import io
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.texts import hostile_texts, unseen

from formicary.core.logs import get_logger
from formicary.errors import FormicaryError, LinkError

PREFIX = "ERROR formicary.test: "


@pytest.fixture(scope="module")
def log():
    """Return a function that logs something, and returns what a usual handler wrote."""
    logger = get_logger("formicary.test")
    logger.propagate = False

    def write(do):
        written = io.StringIO()
        handler = logging.StreamHandler(written)
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        logger.addHandler(handler)
        try:
            do(logger)
        finally:
            logger.removeHandler(handler)
        return written.getvalue()

    yield write
    logger.propagate = True


@given(text=hostile_texts, kind=st.sampled_from([str, Exception, LinkError, list]))
def test_a_message_is_one_line_whatever_it_quotes(log, text, kind):
    value = [text] if kind is list else kind(text)
    written = log(lambda logger: logger.error("from %s: %s", text, value))
    assert written.startswith(PREFIX)
    assert written.count("\n") == 1
    assert unseen(written, allowed="\n") == set()


@given(text=hostile_texts, note=hostile_texts, cause=hostile_texts)
def test_what_an_exception_says_begins_no_line(log, text, note, cause):
    def read():
        error = ValueError(text)
        error.add_note(note)
        raise ExceptionGroup(cause, [OSError(text), error]) from OSError(cause)

    def fail(logger):
        try:
            read()
        except ExceptionGroup:
            logger.exception("it failed: %s", text)

    written = log(fail)
    assert unseen(written, allowed="\n") == set()
    assert [line for line in written.split("\n") if line.startswith("ERROR")] == [written.split("\n")[0]]


def test_what_is_harmless_is_logged_as_it_is(log):
    error = OSError("über 3 °C")
    written = log(lambda logger: logger.error("it failed: %s", error, exc_info=error))
    assert written == f"{PREFIX}it failed: über 3 °C\nOSError: über 3 °C\n"


def test_records_of_other_programs_keep_their_arguments():
    kept = []
    logger = get_logger("formicary.test")
    handler = logging.Handler()
    handler.emit = kept.append
    logger.addHandler(handler)
    try:
        logger.error("%s and %d", "one", 2)
    finally:
        logger.removeHandler(handler)
    assert [(record.msg, record.args) for record in kept] == [("%s and %d", ("one", 2))]


def test_what_cannot_be_put_together_is_told_by_the_handlers(log, monkeypatch):
    class SilentError(Exception):
        def __str__(self):
            raise RuntimeError("no")

    monkeypatch.setattr(logging, "raiseExceptions", False)
    assert log(lambda logger: logger.error("%d", "text")) == ""
    assert "<exception str() failed>" in log(lambda logger: logger.error("x", exc_info=SilentError()))


@given(text=hostile_texts)
def test_an_error_is_a_sentence_of_which_only_indented_lines_follow(text):
    said = str(FormicaryError(text))
    assert unseen(said, allowed="\n") == set()
    assert all(line.startswith("  ") for line in said.split("\n")[1:])
