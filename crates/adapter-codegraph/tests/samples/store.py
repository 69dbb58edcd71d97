"""A store of orders."""


class Base:
    def save_order(self, order):
        raise NotImplementedError


class OrderStore(Base):
    """Keeps orders."""

    def __init__(self):
        self.orders = []

    def save_order(self, order):
        """Saves one order after checking it."""
        check_order(order)
        self.orders.append(order)
        return notify_saved(order)


def check_order(order):
    if order is None:
        raise ValueError("no order")
    return validate_fields(order)


def validate_fields(order):
    return bool(order)


def notify_saved(order):
    print("saved", order)
