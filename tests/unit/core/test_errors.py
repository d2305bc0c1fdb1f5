"""What errors tell programs besides their sentence."""

from formicary import errors
from formicary.errors import FormicaryError, ManagementError, MoveError, NoAnswerError, UnknownAgentError


def test_who_has_not_answered_is_known():
    error = NoAnswerError("bob has not answered within 1 s", ("bob@lab",))
    assert (str(error), error.missing, error.message) == (
        "bob has not answered within 1 s",
        ("bob@lab",),
        None,
    )


def test_each_refusal_of_a_management_agent_has_its_reason_by_fipa():
    reasons = [kind("a sentence").reason for kind in (ManagementError, MoveError, UnknownAgentError)]
    assert reasons == ["internal-error", "not-moved", "not-registered"]


def test_each_error_is_one_of_the_platform_and_named_so():
    for name in errors.__all__:
        assert name.endswith("Error")
        assert issubclass(getattr(errors, name), FormicaryError)
