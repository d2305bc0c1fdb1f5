"""Tables as a page shows them: what all lines have in common once, and names once."""

from types import SimpleNamespace

from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.reports.formats.html_tables import is_among, repeated, shown

WHO = Column("who", ("Agents", "Agents", "JADE", "Agents"), names=True, of=("a", "b", "c", "d"))
PAIRS = Column("pairs", ("1", "10", "1", "20"))
BODY = Column("body", ("100 B",) * 4)
WARMTH = Column("warmth", ("",) * 4)


def test_what_is_the_same_in_all_lines_is_said_once_and_what_is_empty_not_at_all():
    found = shown([WHO, PAIRS, BODY, WARMTH])
    assert found.columns == [WHO, PAIRS]
    assert found.same == "body 100 B"
    alone = [Column("who", ("Agents",)), Column("body", ("100 B",))]
    assert shown(alone).columns == alone


def test_a_name_goes_over_the_lines_that_follow_with_it():
    found = shown([WHO, PAIRS, BODY])
    assert found.spans == [2, 0, 1, 1]
    # Each line can be asked for what is behind it, also where its name is that of the line above.
    assert found.key == 1
    assert found.of == WHO.of


def test_where_names_differ_they_are_what_is_asked():
    found = shown([Column("who", ("Agents", "JADE"), of=("a", "b")), Column("pairs", ("1", "10"))])
    assert (found.spans, found.key) == ([1, 1], 0)
    assert shown([Column("who", ("Agents", "JADE"))]).of == ("", "")


def test_a_table_is_among_one_that_has_its_lines_in_columns_of_these_names():
    whole = [WHO, BODY, PAIRS, Column("95%", ("±1%", "±2%", "±3%", "±4%"))]
    assert is_among([WHO, PAIRS], whole)
    assert is_among([Column("who", ("JADE",)), Column("95%", ("±3%",))], whole)
    assert not is_among([Column("who", ("JADE",)), Column("95%", ("±4%",))], whole)
    assert not is_among([Column("who", ("JADE",)), Column("median", ("1",))], whole)
    assert not is_among([PAIRS, WHO], whole)


def test_remarks_of_several_tables_are_found():
    def section(*extras):
        return SimpleNamespace(extras=[Extra(title, [WHO], remark) for title, remark in extras])

    found = [section(("Intervals", "Half."), ("Hosts", "There.")), section(("Intervals", "Half."), ("x", ""))]
    assert repeated(found) == {"Intervals": "Half."}
