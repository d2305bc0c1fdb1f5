"""What a class's name leads to, and which modules may be imported for it."""

import pytest

from formicary.core.importing import describe_error, is_allowed, load, split_class_name
from formicary.errors import FormicaryError, ManagementRequestError


@pytest.mark.parametrize(
    ("module", "expected"), [("shop", True), ("shop.agents", True), ("shopping", False), ("sho", False)]
)
def test_a_module_is_allowed_with_those_below_it(module, expected):
    assert is_allowed(module, ["library", "shop"]) is expected


@pytest.mark.parametrize("text", ["shop", "shop:", ":Buyer", "shop:Buyer.x", "shop..x:Buyer", "shop/x:Buyer"])
def test_what_is_no_module_with_a_class_is_refused(text):
    assert split_class_name(text) is None
    assert split_class_name("shop.agents:Buyer") == ("shop.agents", "Buyer")


def test_a_class_is_loaded_and_what_is_missing_is_named():
    assert load("formicary.errors", "FormicaryError") is FormicaryError
    for module, name, missing in (
        ("nowhere.at_all", "Buyer", "no module named 'nowhere'"),
        ("formicary.errors", "Buyer", "module 'formicary.errors' has no class 'Buyer'"),
    ):
        with pytest.raises(ManagementRequestError, match=missing):
            load(module, name)


def test_a_module_that_fails_says_with_what(tmp_path, monkeypatch):
    (tmp_path / "broken_shop.py").write_text("raise SystemExit('out\\nof stock')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ManagementRequestError) as refused:
        load("broken_shop", "Buyer")
    assert str(refused.value) == "module 'broken_shop' cannot be imported: SystemExit: out of stock"


def test_the_text_of_an_error_is_short_and_in_one_line():
    assert describe_error(FormicaryError("no books")) == "no books"
    assert describe_error(ValueError("no\nbooks")) == "ValueError: no books"
    assert describe_error(ValueError()) == "ValueError"
    assert len(describe_error(ValueError("x" * 10_000))) < 400
