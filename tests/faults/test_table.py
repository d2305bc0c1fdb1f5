"""The page about the faults: one row for each, with its figures."""

from __future__ import annotations

from tests.faults.ledger import Account
from tests.faults.run import CASES
from tests.faults.scene import ROUTES, Figures
from tests.faults.side import ROOT
from tests.faults.table import page


def rows(text):
    return [line for line in text.splitlines() if line.startswith("| ")][2:]


def test_each_fault_has_a_row_with_its_figures_and_remarks():
    account = Account(sent=12345, received=12300, failed=50, both=5)
    figures = {case: Figures() for case in CASES}
    figures[CASES[1]] = Figures(account, resent=7, told_after=3.14159, notes=["slept well"])
    made = rows(page(figures))
    assert len(made) == len(CASES)
    cells = [cell.strip() for cell in made[1].removeprefix("|").split("|")]
    assert (cells[0], cells[1]) == ("", ROUTES[CASES[1].route])  # of the fault of the row above
    assert [cell.replace("\N{NO-BREAK SPACE}", "") for cell in cells[2:7]] == [
        *("12345", "12300", "50", "5", "7")
    ]
    assert cells[7] == "told within 3.1 s; slept well"


def test_the_page_in_the_documentation_is_about_the_faults_that_there_are():
    there = rows((ROOT / "docs" / "faults.md").read_text(encoding="utf-8"))
    cells = [[cell.strip() for cell in row.removeprefix("|").split("|")[:2]] for row in there]
    titles = [title for title, _ in cells]
    for index, title in enumerate(titles):
        titles[index] = title or titles[index - 1]
    assert titles == [case.fault.title for case in CASES]
    assert [route for _, route in cells] == [ROUTES[case.route] for case in CASES]
