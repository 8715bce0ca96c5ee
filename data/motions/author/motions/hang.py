"""Hanging still from a bar 2.28 m high, arms straight."""
from hanging import HANG, Hanging


def motion():
    return Hanging(2.0, lambda t: HANG, lambda t: 0.0)
