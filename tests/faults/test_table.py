"""The page about the faults: the effects of each over each route."""

from __future__ import annotations

from tests.faults.ledger import Account
from tests.faults.run import CASES
from tests.faults.scene import ROUTES, Figures
from tests.faults.side import ROOT
from tests.faults.table import page


def rows(text, title):
    part = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0].replace("\N{NO-BREAK SPACE}", "")
    lines = [line for line in part.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def shown(text):
    """Return a page's faults by title, each with its routes."""
    for title, *cells in rows(text, "Where no message failed"):
        yield from ((title, route) for route, cell in zip(ROUTES.values(), cells, strict=True) if cell)
    last = ""
    for title, route, *_ in rows(text, "Where messages failed"):
        last = title or last
        yield last, route


def test_a_fault_after_which_messages_failed_has_rows_with_its_figures_and_remarks():
    account = Account(sent=12345, received=12300, failed=50, both=5)
    figures = {case: Figures(Account(sent=1, received=1)) for case in CASES}
    figures[CASES[1]] = Figures(account, resent=7, told_after=3.14159, notes=["slept well"])
    first, second = rows(page(figures), "Where messages failed")
    assert first == [CASES[0].fault.title, ROUTES[CASES[0].route], "1", "1", "", "", "", ""]
    assert second[:2] == ["", ROUTES[CASES[1].route]]  # of the fault of the row above
    assert second[2:] == ["12345", "12300", "50", "5", "7", "3.1 s; slept well"]


def test_another_has_one_row_with_a_cell_for_each_route():
    figures = {case: Figures(Account(sent=1, received=1)) for case in CASES}
    figures[CASES[1]] = Figures(Account(sent=1234, received=1234), resent=7, notes=["slept well"])
    made = page(figures)
    first = rows(made, "Where no message failed")[0]
    assert first[0] == CASES[0].fault.title
    assert first[1 + list(ROUTES).index(CASES[1].route)] == "1234, 7 again; slept well"
    assert set(shown(made)) == {(case.fault.title, ROUTES[case.route]) for case in CASES}


def test_the_page_in_the_documentation_is_about_the_faults_that_there_are():
    there = list(shown((ROOT / "docs" / "faults.md").read_text(encoding="utf-8")))
    assert sorted(there) == sorted((case.fault.title, ROUTES[case.route]) for case in CASES)
