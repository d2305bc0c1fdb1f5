"""What errors tell programs besides their sentence."""

from formicary.errors import (
    AlreadyRegisteredError,
    FormicaryError,
    ManagementError,
    MoveError,
    NoAnswer,
    NoAnswerError,
    UnknownAgentError,
)


def test_who_has_not_answered_is_known_and_is_caught_as_an_answer_that_did_not_come():
    error = NoAnswer("bob has not answered within 1 s", ("bob@lab",))
    assert isinstance(error, NoAnswerError)
    assert (str(error), error.missing, error.message) == (
        "bob has not answered within 1 s",
        ("bob@lab",),
        None,
    )


def test_each_refusal_of_a_management_agent_has_its_reason_by_fipa():
    reasons = [kind("a sentence").reason for kind in (ManagementError, MoveError, UnknownAgentError)]
    assert reasons == ["internal-error", "not-moved", "not-registered"]


def test_everything_is_caught_as_an_error_of_the_platform():
    assert all(issubclass(kind, FormicaryError) for kind in (NoAnswer, MoveError, AlreadyRegisteredError))
