"""When the ends of a link tell each other what was taken."""

from types import SimpleNamespace

from formicary.transport.link.orders import Orders


class Busy:
    """A link whose window is full, with messages that wait for room behind it."""

    has_free_path = True

    def __init__(self):
        self.sent = []
        self.session = SimpleNamespace(
            is_open=True,
            receiving=SimpleNamespace(is_frozen=False),
            sending=SimpleNamespace(has_window=False, acknowledged=5, unacknowledged=60),
        )
        self.outbox = SimpleNamespace(has_failures=False)
        self.orders = Orders(self)

    def send_batch(self, data, letters):
        self.sent.append(data)
        self.session.sending.unacknowledged += 1

    def acknowledge(self, frames):
        """The other end has taken so many, and as many more are sent."""
        self.session.sending.acknowledged += frames


def test_one_receipt_at_a_time_waits_among_messages_that_always_fill_the_window():
    link = Busy()
    assert link.orders.send_receipt(b"1")
    assert not link.orders.send_receipt(b"2")
    link.acknowledge(60)
    assert not link.orders.send_receipt(b"2")
    link.acknowledge(1)
    assert link.orders.send_receipt(b"2")
    assert len(link.sent) == 2


def test_receipts_go_at_once_where_there_is_room_and_not_where_nothing_is_acknowledged():
    link = Busy()
    link.session.sending.has_window = True
    assert all(link.orders.send_receipt(b"1") for _ in range(3))
    link.session.receiving.is_frozen = True
    assert not link.orders.send_receipt(b"1")
