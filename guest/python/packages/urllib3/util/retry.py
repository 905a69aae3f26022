"""How often, when and after how long a request is made again."""

import random
import time
from collections import namedtuple

from ..exceptions import ConnectTimeoutError, MaxRetryError, ProtocolError, ReadTimeoutError, ResponseError

RequestHistory = namedtuple('RequestHistory', ['method', 'url', 'error', 'status', 'redirect_location'])

COUNTS = ('total', 'connect', 'read', 'redirect', 'status', 'other')


class Retry:
    DEFAULT_ALLOWED_METHODS = frozenset(['HEAD', 'GET', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])
    RETRY_AFTER_STATUS_CODES = frozenset([413, 429, 503])
    DEFAULT_REMOVE_HEADERS_ON_REDIRECT = frozenset(['Authorization'])
    DEFAULT_BACKOFF_MAX = 120

    def __init__(self, total=10, connect=None, read=None, redirect=None, status=None, other=None,
                 allowed_methods=DEFAULT_ALLOWED_METHODS, status_forcelist=None, backoff_factor=0,
                 backoff_max=DEFAULT_BACKOFF_MAX, raise_on_redirect=True, raise_on_status=True, history=None,
                 respect_retry_after_header=True,
                 remove_headers_on_redirect=DEFAULT_REMOVE_HEADERS_ON_REDIRECT, backoff_jitter=0,
                 method_whitelist=None):
        self.total, self.connect, self.read = total, connect, read
        self.redirect, self.status, self.other = redirect, status, other
        self.allowed_methods = allowed_methods if method_whitelist is None else method_whitelist
        self.status_forcelist = status_forcelist or set()
        self.backoff_factor, self.backoff_max, self.backoff_jitter = backoff_factor, backoff_max, backoff_jitter
        self.raise_on_redirect, self.raise_on_status = raise_on_redirect, raise_on_status
        self.history = history or ()
        self.respect_retry_after_header = respect_retry_after_header
        self.remove_headers_on_redirect = remove_headers_on_redirect

    @classmethod
    def from_int(cls, retries, redirect=True, default=None):
        if retries is None:
            retries = 3 if default is None else default
        return retries if isinstance(retries, Retry) else cls(retries, redirect=bool(redirect) and None)

    def new(self, **changed):
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__, **changed)
        return copy

    def _is_method_retryable(self, method):
        return not self.allowed_methods or method.upper() in self.allowed_methods

    def is_retry(self, method, status_code, has_retry_after=False):
        if not self._is_method_retryable(method):
            return False
        return status_code in self.status_forcelist or bool(
            self.total and self.respect_retry_after_header and has_retry_after
            and status_code in self.RETRY_AFTER_STATUS_CODES)

    def is_exhausted(self):
        return any(count is not None and count is not False and count < 0 for count in map(self.__dict__.get, COUNTS))

    def increment(self, method=None, url=None, response=None, error=None, _pool=None, _stacktrace=None):
        """Returns what is left after a request that has failed, or raises why there is nothing."""
        if error is not None:
            kind = 'connect' if isinstance(error, ConnectTimeoutError) else \
                'read' if isinstance(error, (ReadTimeoutError, ProtocolError)) else 'other'
            if (self.total is False or getattr(self, kind) is False
                    or kind == 'read' and not self._is_method_retryable(method)):
                raise error
            reason, status = error, None
        else:
            kind, status = 'status', response.status
            reason = ResponseError(f'too many {status} error responses')
        counts = {name: getattr(self, name) for name in ('total', kind)}
        # 0 is a count
        left = {name: count - 1 for name, count in counts.items() if count is not None and count is not False}
        new = self.new(history=self.history + (RequestHistory(method, url, error, status, None),), **left)
        if self.total is False or new.is_exhausted():
            raise MaxRetryError(_pool, url, reason) from error
        return new

    def get_backoff_time(self):
        if len(self.history) <= 1:
            return 0
        seconds = self.backoff_factor * 2 ** (len(self.history) - 1) + random.random() * self.backoff_jitter
        return max(0, min(self.backoff_max, seconds))

    def parse_retry_after(self, retry_after):
        if retry_after.strip().isdigit():
            return int(retry_after)
        import email.utils
        when = email.utils.parsedate_tz(retry_after)
        return 0 if when is None else max(0, email.utils.mktime_tz(when) - time.time())

    def get_retry_after(self, response):
        text = response.headers.get('Retry-After')
        return None if text is None else self.parse_retry_after(text)

    def sleep(self, response=None):
        seconds = self.get_retry_after(response) if response is not None and self.respect_retry_after_header else None
        time.sleep(seconds or self.get_backoff_time())

    def __repr__(self):
        return (f'{type(self).__name__}(total={self.total}, connect={self.connect}, read={self.read}, '
                f'redirect={self.redirect}, status={self.status})')
