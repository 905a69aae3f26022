"""Comes last."""

from . import settle

kept = settle(64 << 10, 4 << 20)
