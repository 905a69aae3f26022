"""Retry."""

from .retry import Retry
