"""What can go wrong with a request, as urllib3 calls it."""


class HTTPError(Exception):
    pass


class HTTPWarning(Warning):
    pass


class SecurityWarning(HTTPWarning):
    pass


class InsecureRequestWarning(SecurityWarning):
    pass


class ProtocolError(HTTPError):
    pass


class TimeoutError(HTTPError):
    pass


class ReadTimeoutError(TimeoutError):
    pass


class ConnectTimeoutError(TimeoutError):
    pass


class NewConnectionError(ConnectTimeoutError):
    pass


class ResponseError(HTTPError):
    GENERIC_ERROR = 'too many error responses'


class MaxRetryError(HTTPError):
    def __init__(self, pool, url, reason=None):
        super().__init__(f'Max retries exceeded with url: {url} (Caused by {reason!r})')
        self.pool, self.url, self.reason = pool, url, reason
