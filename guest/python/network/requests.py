"""A part of the package requests, over the network that the host allows. There are no cookies and no adapters."""

import base64
import codecs
import datetime
import io
import json as _json
import os
import re
import sys
import time
import types
import urllib.parse

__version__ = '2.32.0'


class RequestException(IOError):
    def __init__(self, *args, request=None, response=None):
        super().__init__(*args)
        self.response = response
        self.request = request if request is not None else getattr(response, 'request', None)


class HTTPError(RequestException):
    pass


class ConnectionError(RequestException):
    pass


class Timeout(RequestException):
    pass


class ConnectTimeout(ConnectionError, Timeout):
    pass


class ReadTimeout(Timeout):
    pass


class TooManyRedirects(RequestException):
    pass


class InvalidURL(RequestException, ValueError):
    pass


class MissingSchema(RequestException, ValueError):
    pass


class InvalidJSONError(RequestException):
    pass


class JSONDecodeError(InvalidJSONError, _json.JSONDecodeError):
    def __init__(self, error, response):
        _json.JSONDecodeError.__init__(self, error.msg, error.doc, error.pos)
        self.response, self.request = response, response.request


class CaseInsensitiveDict(dict):
    """A dict of headers, whose names are in any case."""

    def __init__(self, data=(), **more):
        super().__init__()
        self.update(data, **more)

    def _key(self, name):
        low = name.lower()
        return next((key for key in self if key.lower() == low), name)

    def __setitem__(self, name, value):
        super().__setitem__(self._key(name), value)

    def __getitem__(self, name):
        return super().__getitem__(self._key(name))

    def __delitem__(self, name):
        super().__delitem__(self._key(name))

    def __contains__(self, name):
        return super().__contains__(self._key(name))

    def get(self, name, default=None):
        return super().get(self._key(name), default)

    def pop(self, name, *default):
        return super().pop(self._key(name), *default)

    def setdefault(self, name, default=None):
        return super().setdefault(self._key(name), default)

    def update(self, data=(), **more):
        for name, value in dict(data or (), **more).items():
            self[name] = value

    def copy(self):
        return CaseInsensitiveDict(self)


class HTTPBasicAuth:
    def __init__(self, username, password):
        self.username, self.password = username, password

    def __call__(self, request):
        text = f'{self.username}:{self.password}'.encode()
        request.headers['Authorization'] = 'Basic ' + base64.b64encode(text).decode()
        return request


class PreparedRequest:
    def __init__(self, method, url, headers, body):
        self.method, self.url, self.headers, self.body = method, url, headers, body

    def __repr__(self):
        return f'<PreparedRequest [{self.method}]>'


class Response:
    def __init__(self):
        self.status_code, self.reason, self.url = None, None, None
        self.headers, self.history, self.cookies = CaseInsensitiveDict(), [], {}
        self.request, self.raw, self.encoding = None, io.BytesIO(), None
        self.elapsed = datetime.timedelta(0)
        self._content = None

    def __repr__(self):
        return f'<Response [{self.status_code}]>'

    def __bool__(self):
        return self.ok

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __iter__(self):
        return self.iter_content(128)

    @property
    def ok(self):
        return self.status_code < 400

    @property
    def is_redirect(self):
        return 'location' in self.headers and self.status_code in (301, 302, 303, 307, 308)

    @property
    def content(self):
        if self._content is None:
            try:
                self._content = self.raw.read()
            except OSError as error:
                raise ConnectionError(str(error), response=self) from None
            self.raw.close()
        return self._content

    @property
    def apparent_encoding(self):
        return 'utf-8'

    @property
    def text(self):
        try:
            return self.content.decode(self.encoding or 'utf-8', 'replace')
        except LookupError:
            return self.content.decode('utf-8', 'replace')

    def json(self, **options):
        try:
            return _json.loads(self.content, **options)
        except _json.JSONDecodeError as error:
            raise JSONDecodeError(error, self) from None

    def iter_content(self, chunk_size=1, decode_unicode=False):
        decoder = codecs.getincrementaldecoder(self.encoding or 'utf-8')('replace') if decode_unicode else None
        source = io.BytesIO(self._content) if self._content is not None else self.raw
        while True:
            chunk = source.read(chunk_size) if chunk_size else source.read()
            if not chunk:
                return
            yield decoder.decode(chunk) if decoder else chunk

    def iter_lines(self, chunk_size=512, decode_unicode=False, delimiter=None):
        empty, newline, ends = ('', '\n', '\r\n') if decode_unicode else (b'', b'\n', b'\r\n')
        rest = empty
        for chunk in self.iter_content(chunk_size, decode_unicode):
            rest += chunk
            lines = rest.split(delimiter) if delimiter else rest.splitlines(keepends=True)
            rest = lines.pop() if delimiter or not lines[-1].endswith(newline) else empty  # it may go on
            for line in lines:
                yield line if delimiter else line.rstrip(ends)
        if rest:
            yield rest if delimiter else rest.rstrip(ends)

    def raise_for_status(self):
        if self.status_code >= 400:
            kind = 'Client' if self.status_code < 500 else 'Server'
            raise HTTPError(f'{self.status_code} {kind} Error: {self.reason} for url: {self.url}', response=self)

    def close(self):
        self.raw.close()


def _pairs(data):
    for name, value in data.items() if hasattr(data, 'items') else data:
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                yield name, one


def _encode(data):
    return urllib.parse.urlencode([(name, value) for name, value in _pairs(data)])


def _multipart(data, files):
    boundary = os.urandom(16).hex()
    out = []

    def quote(text):
        return str(text).replace('"', '%22').replace('\r', '%0D').replace('\n', '%0A')
    for name, value in _pairs(data or ()):
        out += [f'--{boundary}\r\nContent-Disposition: form-data; name="{quote(name)}"\r\n\r\n'.encode(),
                value if isinstance(value, bytes) else str(value).encode(), b'\r\n']
    for name, value in files.items() if hasattr(files, 'items') else files:
        kind = None
        if isinstance(value, (list, tuple)):
            filename, value, kind = (tuple(value) + (None,))[:3]
        else:
            filename = os.path.basename(getattr(value, 'name', '') or name)
        value = value.read() if hasattr(value, 'read') else value
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{quote(name)}"; filename="{quote(filename)}"\r\n'
        if kind:
            head += f'Content-Type: {kind}\r\n'
        out += [head.encode() + b'\r\n', value.encode() if isinstance(value, str) else bytes(value), b'\r\n']
    out.append(f'--{boundary}--\r\n'.encode())
    return b''.join(out), 'multipart/form-data; boundary=' + boundary


class Session:
    def __init__(self):
        self.headers = CaseInsensitiveDict({'User-Agent': 'toolrun', 'Accept': '*/*'})
        self.params, self.auth, self.cookies, self.verify, self.proxies = {}, None, {}, True, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        pass

    def mount(self, prefix, adapter):
        pass

    def request(self, method, url, params=None, data=None, headers=None, cookies=None, files=None, auth=None, timeout=None,
                allow_redirects=True, proxies=None, hooks=None, stream=False, verify=None, cert=None, json=None):
        url = url.decode() if isinstance(url, bytes) else str(url)
        if not re.match(r'[a-zA-Z][a-zA-Z0-9+.-]*:', url):
            raise MissingSchema(f"Invalid URL {url!r}: No scheme supplied. Perhaps you meant https://{url}?")
        parts = urllib.parse.urlsplit(url)
        if not parts.hostname:
            raise InvalidURL(f'Invalid URL {url!r}: No host supplied')
        query = [parts.query] if parts.query else []
        for more in (self.params, params):
            if more:
                query.append(more if isinstance(more, str) else more.decode() if isinstance(more, bytes) else _encode(more))
        host = parts.netloc.rpartition('@')[2]
        if parts.username is not None and auth is None:
            auth = urllib.parse.unquote(parts.username), urllib.parse.unquote(parts.password or '')
        url = urllib.parse.urlunsplit((parts.scheme, host, urllib.parse.quote(parts.path or '/', safe="%/:=&?~#+!$,;'@()*[]"),
                                       '&'.join(query), ''))
        all_headers = self.headers.copy()
        for name, value in dict(headers or {}).items():
            if value is None:
                all_headers.pop(name, None)
            else:
                all_headers[name] = value.decode() if isinstance(value, bytes) else str(value)
        kind = None
        if files:
            body, kind = _multipart(data, files)
        elif data is None and json is not None:
            body, kind = _json.dumps(json, allow_nan=False).encode(), 'application/json'
        elif data is None or data == {}:
            body = None
        elif isinstance(data, str):
            body, kind = data.encode(), None
        elif isinstance(data, (bytes, bytearray)):
            body = bytes(data)
        elif hasattr(data, 'read'):
            body = data.read()
            body = body.encode() if isinstance(body, str) else body
        elif isinstance(data, dict) or isinstance(data, (list, tuple)):
            body, kind = _encode(data).encode(), 'application/x-www-form-urlencoded'
        else:
            body = b''.join(data)
        if kind and 'content-type' not in all_headers:
            all_headers['Content-Type'] = kind
        prepared = PreparedRequest(method.upper(), url, all_headers, body)
        auth = auth or self.auth
        if auth:
            prepared = (HTTPBasicAuth(*auth) if isinstance(auth, tuple) else auth)(prepared)
        if isinstance(timeout, (list, tuple)):
            timeout = None if None in timeout else sum(timeout)
        began = time.monotonic()
        try:
            got = send(prepared.method, prepared.url, list(prepared.headers.items()), prepared.body,
                       'follow' if allow_redirects else 'manual', timeout)
        except OSError as error:
            text, code = str(error), getattr(error, 'code', None)
            cls = {'timeout': ReadTimeout, 'invalid': InvalidURL}.get(code, ConnectionError)
            if 'redirects' in text and code == 'limit':
                cls = TooManyRedirects
            raise cls(text, request=prepared) from None
        r = Response()
        r.status_code, r.reason, r.url, r.raw, r.request = got['status'], got['reason'], got['url'], got['body'], prepared
        for name, value in got['headers']:
            r.headers[name] = f'{r.headers[name]}, {value}' if name in r.headers else value
        found = re.search(r'charset=["\']?([^\s;"\']+)', r.headers.get('content-type', ''), re.I)
        if found:
            r.encoding = found[1]
        elif r.headers.get('content-type', '').lower().startswith('text/'):
            r.encoding = 'ISO-8859-1'
        r.elapsed = datetime.timedelta(seconds=time.monotonic() - began)
        if got['redirected']:
            before = Response()
            before.status_code, before.url, before.request, before._content = 302, url, prepared, b''
            r.history.append(before)
        if not stream:
            r.content
        return r

    def get(self, url, **options):
        return self.request('GET', url, **options)

    def options(self, url, **options):
        return self.request('OPTIONS', url, **options)

    def head(self, url, **options):
        options.setdefault('allow_redirects', False)
        return self.request('HEAD', url, **options)

    def post(self, url, data=None, json=None, **options):
        return self.request('POST', url, data=data, json=json, **options)

    def put(self, url, data=None, **options):
        return self.request('PUT', url, data=data, **options)

    def patch(self, url, data=None, **options):
        return self.request('PATCH', url, data=data, **options)

    def delete(self, url, **options):
        return self.request('DELETE', url, **options)


def session():
    return Session()


def request(method, url, **options):
    return Session().request(method, url, **options)


def get(url, params=None, **options):
    return request('GET', url, params=params, **options)


def options(url, **options):
    return request('OPTIONS', url, **options)


def head(url, **options):
    return Session().head(url, **options)


def post(url, data=None, json=None, **options):
    return request('POST', url, data=data, json=json, **options)


def put(url, data=None, **options):
    return request('PUT', url, data=data, **options)


def patch(url, data=None, **options):
    return request('PATCH', url, data=data, **options)


def delete(url, **options):
    return request('DELETE', url, **options)


def _module(name, *values):
    module = types.ModuleType(f'{__name__}.{name}')
    for value in values:
        setattr(module, value.__name__, value)
    sys.modules[module.__name__] = module
    return module


exceptions = _module('exceptions', RequestException, HTTPError, ConnectionError, Timeout, ConnectTimeout, ReadTimeout, TooManyRedirects,
                     InvalidURL, MissingSchema, InvalidJSONError, JSONDecodeError)
auth = _module('auth', HTTPBasicAuth)
structures = _module('structures', CaseInsensitiveDict)
sessions = _module('sessions', Session)
models = _module('models', Response, PreparedRequest)
codes = types.SimpleNamespace(ok=200, created=201, accepted=202, no_content=204, moved_permanently=301, found=302, not_modified=304,
                              bad_request=400, unauthorized=401, forbidden=403, not_found=404, conflict=409, too_many_requests=429,
                              internal_server_error=500, bad_gateway=502, service_unavailable=503)
