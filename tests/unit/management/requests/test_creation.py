"""From a class's name to an agent: nothing but what is allowed, and one sentence about whatever is wrong."""

from __future__ import annotations

import sys

import pytest

from formicary import Agent, MicroAgent
from formicary.errors import ManagementRequestError, UnauthorisedError
from formicary.management.requests.creating import AgentFactory, check_allowed

SHOP = """
from formicary import Agent, MicroAgent
from elsewhere import Stranger

class Clerk(Agent):
    def __init__(self, name, desk, *, tools=()):
        super().__init__(name)
        self.desk = desk
        self.tools = tools

class Cell(MicroAgent):
    pass

class Picky(Agent):
    def __init__(self, name):
        raise ValueError("not\\ntoday")

class Leaving(Agent):
    def __init__(self, name):
        raise SystemExit(3)

class Wordless(Agent):
    def __init__(self, name):
        raise RuntimeError

def make(name):
    return Agent(name)

class Thing:
    pass

number = 3
"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Make modules importable for one test."""
    texts = {
        "shop/__init__.py": "",
        "shop/staff.py": SHOP,
        "shop/broken.py": "import json\n1 / 0",
        "shop/keyless.py": "{}['A']",
        "shop/wrong.py": "def",
        "shop/lacking.py": "import no_such_library",
        "shop/leaving.py": "import sys\nsys.exit('goodbye')",
        "elsewhere.py": "from formicary import Agent\nclass Stranger(Agent):\n    pass\n",
        "forbidden.py": "raise AssertionError('it was imported')",
        "shopping.py": "raise AssertionError('it was imported')",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def make(class_name, *, creatable=("shop",), **arguments):
    return AgentFactory(class_name, arguments, creatable).make("bob")


def refusal(class_name, kind=ManagementRequestError, **options):
    """Return the sentence about why there is no such agent."""
    with pytest.raises(kind) as caught:
        make(class_name, **options)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_an_agent_is_made_with_its_arguments(modules):
    clerk = make("shop.staff:Clerk", desk=3, tools=["pen"])
    assert isinstance(clerk, Agent)
    assert (clerk.name, clerk.desk, clerk.tools) == ("bob", 3, ["pen"])
    assert isinstance(make("shop.staff:Cell"), MicroAgent)


@pytest.mark.parametrize("creatable", [("shop",), ("shop.staff",), ("a", "shop.staff"), ["shop"]])
def test_a_package_is_allowed_with_all_below_it(modules, creatable):
    assert make("shop.staff:Clerk", creatable=creatable, desk=1).desk == 1


@pytest.mark.parametrize(
    ("class_name", "creatable"),
    [
        ("forbidden:A", ("shop",)),
        ("forbidden:A", ()),
        ("shopping:A", ("shop",)),
        ("shop:A", ("shop.staff",)),
        ("shop.broken:A", ("shop.staff", "shop.broke")),
        ("os:system", ("shop",)),
        ("formicary.core.agent:Agent", ("shop",)),
    ],
)
def test_what_is_not_allowed_is_not_even_imported(modules, class_name, creatable):
    module = class_name.partition(":")[0]
    known = module in sys.modules
    says = refusal(class_name, UnauthorisedError, creatable=creatable)
    assert f"agents of module {module!r} may not be created in this container" in says
    assert (module in sys.modules) is known


def test_a_class_that_an_allowed_module_only_imports_is_not_allowed(modules):
    for class_name, module in (("Stranger", "elsewhere"), ("Agent", "formicary.core.agent")):
        says = refusal(f"shop.staff:{class_name}", UnauthorisedError)
        assert f"is defined in module {module!r}, whose agents may not be created" in says
    assert isinstance(make("shop.staff:Stranger", creatable=("shop", "elsewhere")), Agent)


@pytest.mark.parametrize(
    "class_name",
    ["", "shop", "shop:", ":A", "shop.staff.Clerk", "shop:A.B", "shop:A:B", ".shop:A", "shop.:A", "..:A",
     "shop staff:A", "shop/staff:A", "shop.staff:<locals>", "shop\n:A", "x" * 5000],
)  # fmt: skip
def test_what_is_no_name_of_a_class_is_said_so(class_name):
    with pytest.raises(
        ManagementRequestError, match=r"is not a class name; write 'package\.module:Class'"
    ) as no:
        check_allowed(class_name, ("shop",))
    assert len(str(no.value)) < 300


@pytest.mark.parametrize(
    ("class_name", "sentence"),
    [
        ("shop.nothing:A", "no module named 'shop.nothing' where this container runs; install it there"),
        ("shop.staff.deep:A", "no module named 'shop.staff.deep' where this"),
        ("shop.staff:Nobody", "module 'shop.staff' has no class 'Nobody'"),
        ("shop.staff:make", "shop.staff:make is not an agent class but <function make"),
        ("shop.staff:Thing", "shop.staff:Thing is not an agent class but <class 'shop.staff.Thing'>"),
        ("shop.staff:number", "shop.staff:number is not an agent class but 3"),
        ("shop.broken:A", "module 'shop.broken' cannot be imported: ZeroDivisionError: division by zero"),
        ("shop.keyless:A", "module 'shop.keyless' cannot be imported: KeyError: 'A'"),
        ("shop.wrong:A", "module 'shop.wrong' cannot be imported: SyntaxError: "),
        ("shop.lacking:A", "module 'shop.lacking' cannot be imported: ModuleNotFoundError: No module named"),
        ("shop.leaving:A", "module 'shop.leaving' cannot be imported: SystemExit: goodbye"),
        (
            "shop.staff:Clerk",
            "shop.staff:Clerk cannot be created with these arguments: missing a required arg",
        ),
        (
            "shop.staff:Picky",
            "shop.staff:Picky cannot be created with these arguments: ValueError: not today",
        ),
        ("shop.staff:Leaving", "shop.staff:Leaving cannot be created with these arguments: SystemExit: 3"),
        ("shop.staff:Wordless", "shop.staff:Wordless cannot be created with these arguments: RuntimeError"),
    ],
)
def test_what_cannot_be_made_is_said_in_one_sentence(modules, class_name, sentence):
    assert refusal(class_name).startswith(sentence)


def test_arguments_can_be_checked_before_an_agent_is_made(modules):
    AgentFactory("shop.staff:Picky", {}, ["shop"]).check("bob")
    with pytest.raises(ManagementRequestError, match="missing a required argument: 'desk'"):
        AgentFactory("shop.staff:Clerk", {}, ["shop"]).check("bob")


def test_arguments_that_the_class_does_not_take_are_said(modules):
    says = refusal("shop.staff:Clerk", desk=1, chair=2)
    assert says.endswith("cannot be created with these arguments: got an unexpected keyword argument 'chair'")
    says = refusal("shop.staff:Clerk", desk=1, name="eve")
    assert "multiple values for argument 'name'" in says
