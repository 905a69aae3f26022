"""What sends requests: an adapter for the network that the host allows."""

from urllib3.exceptions import HTTPError, MaxRetryError, ProtocolError, ReadTimeoutError
from urllib3.util.retry import Retry

from .exceptions import ConnectionError, InvalidURL, ReadTimeout, RetryError
from .models import Response
from .utils import get_encoding_from_headers, urldefragauth

DEFAULT_POOLSIZE = 10
DEFAULT_POOLBLOCK = False
DEFAULT_RETRIES = 0


def _seconds(timeout):
    """Returns how long a response may take to begin, of a number or of how long connecting and reading may take: the
    latter."""
    if isinstance(timeout, (tuple, list)):
        if len(timeout) != 2:
            raise ValueError(f'Invalid timeout {timeout}. Pass a (connect, read) timeout tuple, '
                             'or a single float to set both timeouts to the same value.')
        return timeout[1]
    return getattr(timeout, 'total', timeout)


def _bytes(body):
    if body is None or isinstance(body, bytes):
        return body
    if hasattr(body, 'read'):
        body = body.read()
    elif not isinstance(body, (str, bytearray)):
        body = b''.join(part.encode() if isinstance(part, str) else part for part in body)
    return body.encode() if isinstance(body, str) else bytes(body)


class BaseAdapter:
    def send(self, request, stream=False, timeout=None, verify=True, cert=None, proxies=None):
        raise NotImplementedError

    def close(self):
        raise NotImplementedError


class HTTPAdapter(BaseAdapter):
    """Makes requests, and makes those again that fail, if it is told to. There is no pool: the host keeps the
    connections."""

    def __init__(self, pool_connections=DEFAULT_POOLSIZE, pool_maxsize=DEFAULT_POOLSIZE, max_retries=DEFAULT_RETRIES,
                 pool_block=DEFAULT_POOLBLOCK):
        self.max_retries = Retry(0, read=False) if max_retries == DEFAULT_RETRIES else Retry.from_int(max_retries)
        self.config = {}
        self.init_poolmanager(pool_connections, pool_maxsize, block=pool_block)

    def init_poolmanager(self, connections, maxsize, block=DEFAULT_POOLBLOCK, **options):
        """Is for classes that are made of this one."""

    def add_headers(self, request, **kwargs):
        """Is for classes that are made of this one."""

    def close(self):
        pass

    def build_response(self, req, got):
        r = Response()
        r.status_code, r.reason, r.url = got['status'], got['statusText'], req.url
        r.raw, r.request, r.connection = got['body'], req, self
        for name, value in got['headers']:
            r.headers[name] = f'{r.headers[name]}, {value}' if name in r.headers else value
        r.encoding = get_encoding_from_headers(r.headers)
        r.raw.status, r.raw.reason, r.raw.headers = r.status_code, r.reason, r.headers
        return r

    def send(self, request, stream=False, timeout=None, verify=True, cert=None, proxies=None):
        limit = _seconds(timeout)
        self.add_headers(request, stream=stream, timeout=timeout, verify=verify, cert=cert, proxies=proxies)
        body = _bytes(request.body)
        retries, path = self.max_retries, request.path_url
        while True:
            try:
                got = host_request(request.method, urldefragauth(request.url), request.headers.items(), body, 'manual',
                                   limit)
            except OSError as error:
                retries = self._failed(retries, request, path, error)
                retries.sleep()
                continue
            response = self.build_response(request, got)
            if not retries.is_retry(request.method, response.status_code, 'Retry-After' in response.headers):
                return response
            try:
                retries = retries.increment(request.method, path, response=response.raw)
            except MaxRetryError as error:
                if not retries.raise_on_status:
                    return response
                response.close()
                raise RetryError(error, request=request) from None
            response.close()
            retries.sleep(response.raw)

    def _failed(self, retries, request, path, error):
        """Returns what is left of the retries after an error, or raises it as one of requests."""
        text, code = str(error), getattr(error, 'code', None)
        if code not in ('network', 'timeout'):  # another attempt would be refused, too
            raise (InvalidURL if code == 'invalid' else ConnectionError)(text, request=request) from None
        cause = (ReadTimeoutError if code == 'timeout' else ProtocolError)(text)
        try:
            return retries.increment(request.method, path, error=cause)
        except MaxRetryError as failure:
            raise ConnectionError(failure, request=request) from None
        except HTTPError:
            pass
        raise (ReadTimeout if code == 'timeout' else ConnectionError)(text, request=request) from None
