"""Requests, as code writes them and as they are sent, and responses."""

import datetime
import io
import json as _json
import os
import re
from urllib.parse import urlencode, urlsplit, urlunsplit

from .auth import HTTPBasicAuth
from .cookies import RequestsCookieJar, cookiejar_from_dict
from .exceptions import (ChunkedEncodingError, ConnectionError, HTTPError, InvalidJSONError, InvalidURL,
                         JSONDecodeError, MissingSchema,
                         StreamConsumedError)
from .hooks import default_hooks
from .structures import CaseInsensitiveDict
from .utils import (check_header_validity, get_auth_from_url, guess_filename, parse_header_links, requote_uri,
                    stream_decode_response_unicode, to_key_val_list)

REDIRECT_STATI = (301, 302, 303, 307, 308)
DEFAULT_REDIRECT_LIMIT = 30
CONTENT_CHUNK_SIZE = 10 * 1024
ITER_CHUNK_SIZE = 512


def _text(value):
    return value.decode('latin1') if isinstance(value, bytes) else value


def _several(value):
    return value if hasattr(value, '__iter__') and not isinstance(value, (str, bytes)) else [value]


def _encode(data):
    """Returns the text of parameters or of a form."""
    if isinstance(data, (str, bytes)):
        return data.decode() if isinstance(data, bytes) else data
    return urlencode([(name, value) for name, values in to_key_val_list(data) for value in _several(values)
                      if value is not None])


def _multipart(data, files):
    boundary = os.urandom(16).hex()
    out = []

    def quote(text):
        return str(_text(text)).replace('"', '%22').replace('\r', '%0D').replace('\n', '%0A')

    def part(name, value, filename=None, headers=()):
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{quote(name)}"'
        if filename is not None:
            head += f'; filename="{quote(filename)}"'
        head += ''.join(f'\r\n{field}: {content}' for field, content in headers)
        out.extend([head.encode(), b'\r\n\r\n', value if isinstance(value, (bytes, bytearray)) else str(value).encode(),
                    b'\r\n'])

    if isinstance(data, (str, bytes)):
        raise ValueError('Data must not be a string.')
    for name, values in to_key_val_list(data or {}):
        for value in _several(values):
            if value is not None:
                part(name, value)
    for name, value in to_key_val_list(files):
        filename, kind, more = None, None, {}
        if isinstance(value, (list, tuple)):
            filename, value, kind, more = (*value, None, None)[:4] if len(value) < 4 else value
        else:
            filename = guess_filename(value) or name
        if value is None:
            continue
        headers = [*(more or {}).items(), *([('Content-Type', kind)] if kind else [])]
        part(name, value.read() if hasattr(value, 'read') else value, filename, headers)
    out.append(f'--{boundary}--\r\n'.encode())
    return b''.join(out), f'multipart/form-data; boundary={boundary}'


class RequestHooksMixin:
    def register_hook(self, event, hook):
        if event not in self.hooks:
            raise ValueError(f'Unsupported event specified, with event name "{event}"')
        self.hooks[event].extend([hook] if callable(hook) else hook)

    def deregister_hook(self, event, hook):
        if hook not in self.hooks[event]:
            return False
        self.hooks[event].remove(hook)
        return True


class Request(RequestHooksMixin):
    """A request as code writes it."""

    def __init__(self, method=None, url=None, headers=None, files=None, data=None, params=None, auth=None, cookies=None,
                 hooks=None,
                 json=None):
        self.method, self.url, self.headers, self.files = method, url, headers or {}, files or []
        self.data, self.json, self.params, self.auth, self.cookies = data or [], json, params or {}, auth, cookies
        self.hooks = default_hooks()
        for event, hook in (hooks or {}).items():
            self.register_hook(event, hook)

    def __repr__(self):
        return f'<Request [{self.method}]>'

    def prepare(self):
        p = PreparedRequest()
        p.prepare(self.method, self.url, self.headers, self.files, self.data, self.params, self.auth, self.cookies,
                  self.hooks, self.json)
        return p


class PreparedRequest(RequestHooksMixin):
    """A request as it is sent."""

    def __init__(self):
        self.method = self.url = self.headers = self.body = self._cookies = self._body_position = None
        self.hooks = default_hooks()

    def __repr__(self):
        return f'<PreparedRequest [{self.method}]>'

    def copy(self):
        p = PreparedRequest()
        p.__dict__.update(self.__dict__, headers=self.headers and self.headers.copy())
        return p

    def prepare(self, method=None, url=None, headers=None, files=None, data=None, params=None, auth=None, cookies=None,
                hooks=None,
                json=None):
        self.prepare_method(method)
        self.prepare_url(url, params)
        self.prepare_headers(headers)
        self.prepare_cookies(cookies)
        self.prepare_body(data, files, json)
        self.prepare_auth(auth, url)
        self.prepare_hooks(hooks)

    def prepare_method(self, method):
        self.method = method and _text(method).upper()

    def prepare_url(self, url, params):
        url = (url.decode() if isinstance(url, bytes) else str(url)).lstrip()
        if ':' in url and not url.lower().startswith('http'):
            self.url = url  # an adapter may know what to do with it
            return
        try:
            parts = urlsplit(url)
            parts.port
        except ValueError as error:
            raise InvalidURL(f'Failed to parse: {url}') from error
        if not parts.scheme:
            raise MissingSchema(f'Invalid URL {url!r}: No scheme supplied. Perhaps you meant https://{url}?')
        if not parts.hostname:
            raise InvalidURL(f'Invalid URL {url!r}: No host supplied')
        if parts.hostname.startswith(('*', '.')):
            raise InvalidURL('URL has an invalid label.')
        user, at, host = parts.netloc.rpartition('@')
        query = '&'.join(part for part in (parts.query, _encode(params or {})) if part)
        self.url = requote_uri(urlunsplit((parts.scheme, user + at + host.lower(), parts.path or '/', query,
                                           parts.fragment)))

    def prepare_headers(self, headers):
        self.headers = CaseInsensitiveDict()
        for name, value in (headers or {}).items():
            check_header_validity((name, value))
            self.headers[_text(name)] = value

    def prepare_cookies(self, cookies):
        self._cookies = cookies if hasattr(cookies, 'get_dict') else cookiejar_from_dict(cookies)

    def prepare_body(self, data, files, json=None):
        body = kind = self._body_position = None
        if files:
            body, kind = _multipart(data, files)
        elif not data and json is not None:
            try:
                body = _json.dumps(json, allow_nan=False).encode()
            except ValueError as error:
                raise InvalidJSONError(error, request=self) from error
            kind = 'application/json'
        elif hasattr(data, '__iter__') and not isinstance(data, (str, bytes, bytearray, list, tuple,
                                                                 dict)) and not hasattr(data, 'items'):
            body = data  # it is read when it is sent
            if hasattr(data, 'tell'):
                try:
                    self._body_position = data.tell()
                except OSError:
                    pass
        elif isinstance(data, (str, bytes, bytearray)):
            body = data or None
        elif data:
            body, kind = _encode(data), 'application/x-www-form-urlencoded'
        self.body = body
        self.prepare_content_length(body)
        if kind and 'content-type' not in self.headers:
            self.headers['Content-Type'] = kind

    def prepare_content_length(self, body):
        if isinstance(body, str):
            body = body.encode()
        if hasattr(body, '__len__'):
            self.headers['Content-Length'] = str(len(body))
        elif body is None and self.method not in ('GET', 'HEAD'):
            self.headers.setdefault('Content-Length', '0')

    def prepare_auth(self, auth, url=''):
        if auth is None:
            auth = get_auth_from_url(self.url)
            auth = auth if any(auth) else None
        if auth:
            r = (HTTPBasicAuth(*auth) if isinstance(auth, tuple) and len(auth) == 2 else auth)(self)
            self.__dict__.update(r.__dict__)
            if isinstance(self.body, (str, bytes)):
                self.prepare_content_length(self.body)

    def prepare_hooks(self, hooks):
        for event in hooks or ():
            self.register_hook(event, hooks[event])

    @property
    def path_url(self):
        parts = urlsplit(self.url)
        return (parts.path or '/') + ('?' + parts.query if parts.query else '')


class Response:
    def __init__(self):
        self.status_code = self.reason = self.url = self.encoding = self.request = self.raw = self.connection = None
        self.headers, self.history = CaseInsensitiveDict(), []
        self.cookies, self.elapsed = RequestsCookieJar(), datetime.timedelta(0)
        self._content, self._content_consumed, self._next = False, False, None

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
        return 'location' in self.headers and self.status_code in REDIRECT_STATI

    @property
    def is_permanent_redirect(self):
        return 'location' in self.headers and self.status_code in (301, 308)

    @property
    def next(self):
        return self._next

    @property
    def links(self):
        return {link.get('rel') or link['url']: link for link in parse_header_links(self.headers.get('link', ''))}

    @property
    def content(self):
        if self._content is False:
            if self._content_consumed:
                raise RuntimeError('The content for this response was already consumed')
            self._content = b''.join(self.iter_content(CONTENT_CHUNK_SIZE)) if self.raw is not None else None
        self._content_consumed = True
        return self._content

    @property
    def apparent_encoding(self):
        for encoding in ('ascii', 'utf-8'):
            try:
                self.content.decode(encoding)
                return encoding
            except UnicodeDecodeError:
                pass
        return 'windows-1252'

    @property
    def text(self):
        if not self.content:
            return ''
        try:
            return self.content.decode(self.encoding or self.apparent_encoding, 'replace')
        except LookupError:
            return self.content.decode('utf-8', 'replace')

    def json(self, **kwargs):
        try:
            if not self.encoding:
                try:
                    return _json.loads(self.content or b'', **kwargs)
                except UnicodeDecodeError:
                    pass
            return _json.loads(self.text, **kwargs)
        except _json.JSONDecodeError as error:
            raise JSONDecodeError(error.msg, error.doc, error.pos, response=self) from None

    def iter_content(self, chunk_size=1, decode_unicode=False):
        if self._content_consumed and self._content is False:
            raise StreamConsumedError()
        if chunk_size is not None and not isinstance(chunk_size, int):
            raise TypeError(f'chunk_size must be an int, it is instead a {type(chunk_size)}.')
        chunks = self._chunks(io.BytesIO(self._content or b'') if self._content_consumed else self.raw, chunk_size)
        return stream_decode_response_unicode(chunks, self) if decode_unicode else chunks

    def _chunks(self, source, size):
        try:
            while chunk := source.read1(CONTENT_CHUNK_SIZE) if size is None else source.read(size):
                yield chunk
        except OSError as error:
            kind = ChunkedEncodingError if getattr(error, 'code', None) == 'network' else ConnectionError
            raise kind(str(error), request=self.request, response=self) from None
        self._content_consumed = True

    def iter_lines(self, chunk_size=ITER_CHUNK_SIZE, decode_unicode=False, delimiter=None):
        rest = None
        for chunk in self.iter_content(chunk_size, decode_unicode):
            if rest is not None:
                chunk = rest + chunk
            lines = chunk.split(delimiter) if delimiter else chunk.splitlines()
            # The last line may go on in the next chunk, and so may its end.
            rest = None
            if not delimiter and chunk[-1:] in ('\r', b'\r'):
                rest = lines.pop() + chunk[-1:]
            elif lines and lines[-1][-1:] == chunk[-1:]:
                rest = lines.pop()
            yield from lines
        if rest is not None:
            yield rest if delimiter else rest.rstrip('\r' if isinstance(rest, str) else b'\r')

    def raise_for_status(self):
        if self.status_code >= 400:
            kind = 'Client' if self.status_code < 500 else 'Server'
            if self.status_code < 600:
                raise HTTPError(f'{self.status_code} {kind} Error: {self.reason} for url: {self.url}', response=self)

    def close(self):
        if not self._content_consumed and self.raw is not None:
            self.raw.close()
