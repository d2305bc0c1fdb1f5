"""How other processes import classes."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from formicary import Agent
from formicary.children.locating import Location, import_file, locate
from formicary.errors import ManagementRequestError


class Worker(Agent):
    class Inner(Agent):
        pass


@pytest.fixture
def main(tmp_path, monkeypatch):
    """Run a script as `__main__`; return its agent class."""

    def run(name="market.py", text="class Trader:\n    pass\n"):
        path = tmp_path / name
        path.write_text(text)
        module = ModuleType("__main__")
        module.__spec__, module.__file__ = None, str(path)
        monkeypatch.setitem(sys.modules, "__main__", module)
        return type("Trader", (Agent,), {"__module__": "__main__"})

    return run


def test_a_class_of_a_module_is_found_by_its_name():
    name = f"{__name__}:Worker"
    assert locate(Worker) == locate(name) == Location(name, __name__)
    assert locate("shop.desk:Clerk") == Location("shop.desk:Clerk", "shop.desk")


def test_a_class_of_the_script_is_found_in_its_file(main, tmp_path):
    cls = main()
    assert locate(cls) == Location("market:Trader", "market", str(tmp_path / "market.py"))


@pytest.mark.parametrize(
    ("file", "module"),
    [("my-market.py", "script_my_market"), ("json.py", "script_json"), ("market", "script_market")],
)
def test_a_script_whose_name_is_none_of_a_module_has_another(main, file, module):
    assert locate(main(file)).module == module


def test_with_python_m_it_is_the_modules_own_name(main, monkeypatch):
    cls = main()
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", sys.modules["json"].__spec__)
    assert locate(cls) == Location("json:Trader", "json")


def test_what_cannot_be_imported_is_refused_in_a_sentence(main, monkeypatch):
    class Local(Agent):
        pass

    for cls in (Local, Worker.Inner):
        with pytest.raises(
            ManagementRequestError, match=r"cannot be imported by another process: define it at"
        ):
            locate(cls)
    cls = main(text="import asyncio\nasyncio.run(print())\n")
    with pytest.raises(
        ManagementRequestError, match=r"market\.py, line 2, starts the program when other proc"
    ):
        locate(cls)
    monkeypatch.delattr(sys.modules["__main__"], "__file__")
    with pytest.raises(
        ManagementRequestError, match=r"^class Trader is defined at a prompt or in a notebook"
    ):
        locate(cls)


def test_a_file_is_imported_once_and_not_at_all_where_it_fails(tmp_path, monkeypatch):
    path = tmp_path / "my-market.py"
    path.write_text("made = []\n")
    monkeypatch.setitem(sys.modules, "script_my_market", None)
    made = import_file("script_my_market", str(path))
    assert import_file("script_my_market", str(path)) is made is sys.modules["script_my_market"]
    broken = tmp_path / "broken.py"
    broken.write_text("raise ValueError('closed')\n")
    with pytest.raises(
        ManagementRequestError, match=r"broken\.py cannot be imported by another process: ValueError: cl"
    ):
        import_file("broken_market", str(broken))
    assert "broken_market" not in sys.modules
