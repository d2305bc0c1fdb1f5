"""What a shop has before its first visitor."""

from formicary_bench.experiments.mobile.web_shop.catalogue import (
    AUTHORS,
    BOOKS,
    CUSTOMERS,
    ORDERS,
    SUBJECTS,
    make_catalogue,
)


def test_equal_seeds_make_equal_shops():
    assert make_catalogue(7) == make_catalogue(7)
    assert make_catalogue(7) != make_catalogue(8)


def test_all_that_rows_refer_to_is_there():
    made = make_catalogue(7)
    assert [len(made.author), len(made.book), len(made.customer), len(made.orders)] == [
        AUTHORS,
        BOOKS,
        CUSTOMERS,
        ORDERS,
    ]
    assert {row[2] for row in made.book} <= {row[0] for row in made.author}
    assert {row[3] for row in made.book} == set(SUBJECTS)
    assert {row[1] for row in made.orders} <= {row[0] for row in made.customer}
    assert {row[0] for row in made.order_line} == {row[0] for row in made.orders}
    assert {row[1] for row in made.order_line} <= {row[0] for row in made.book}


def test_an_order_comes_to_what_its_lines_cost():
    made = make_catalogue(7)
    order, _, total = made.orders[3]
    lines = [(book, copies) for number, book, copies in made.order_line if number == order]
    assert total == sum(made.book[book - 1][5] * copies for book, copies in lines)
