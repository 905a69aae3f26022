"""The part of urllib3 that code with requests uses: Retry, and exceptions."""

from . import exceptions
from .util.retry import Retry


def disable_warnings(category=None):
    """There are no warnings of this package."""
