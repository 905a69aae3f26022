"""Sessions: what several requests have in common. They follow redirects, each of which the host checks as a request."""

import datetime
import time
from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

from .adapters import HTTPAdapter
from .cookies import RequestsCookieJar
from .exceptions import ChunkedEncodingError, ConnectionError, InvalidSchema, TooManyRedirects, UnrewindableBodyError
from .hooks import default_hooks, dispatch_hook
from .models import DEFAULT_REDIRECT_LIMIT, PreparedRequest, Request
from .structures import CaseInsensitiveDict
from .utils import default_headers, requote_uri

PORTS = {'http': 80, 'https': 443}


def merge_setting(request_setting, session_setting, dict_class=dict):
    if request_setting is None or session_setting is None:
        return session_setting if request_setting is None else request_setting
    if not (isinstance(request_setting, Mapping) and isinstance(session_setting, Mapping)):
        return request_setting
    merged = dict_class(session_setting)
    merged.update(request_setting)
    for name in [name for name, value in merged.items() if value is None]:
        del merged[name]
    return merged


def _origin(url):
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)


class Session:
    def __init__(self):
        self.headers, self.auth, self.proxies, self.hooks = default_headers(), None, {}, default_hooks()
        self.params, self.stream, self.verify, self.cert, self.trust_env = {}, False, True, None, True
        self.max_redirects, self.cookies, self.adapters = DEFAULT_REDIRECT_LIMIT, RequestsCookieJar(), {}
        self.mount('https://', HTTPAdapter())
        self.mount('http://', HTTPAdapter())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for adapter in self.adapters.values():
            adapter.close()

    def mount(self, prefix, adapter):
        self.adapters[prefix] = adapter

    def get_adapter(self, url):
        found = [prefix for prefix in self.adapters if url.lower().startswith(prefix.lower())]
        if not found:
            raise InvalidSchema(f'No connection adapters were found for {url!r}')
        return self.adapters[max(found, key=len)]

    def prepare_request(self, request):
        p = PreparedRequest()
        cookies = self.cookies.copy()
        cookies.update(request.cookies or {})
        hooks = request.hooks if request.hooks and any(request.hooks.values()) else self.hooks
        p.prepare(
            method=request.method, url=request.url, files=request.files, data=request.data, json=request.json,
            headers=merge_setting(request.headers, self.headers, dict_class=CaseInsensitiveDict),
            params=merge_setting(request.params, self.params), auth=merge_setting(request.auth, self.auth),
            cookies=cookies, hooks=hooks)
        return p

    def request(self, method, url, params=None, data=None, headers=None, cookies=None, files=None, auth=None,
                timeout=None,
                allow_redirects=True, proxies=None, hooks=None, stream=None, verify=None, cert=None, json=None):
        prepared = self.prepare_request(Request(method.upper(), url, headers, files, data, params, auth, cookies, hooks,
                                                json))
        settings = self.merge_environment_settings(prepared.url, proxies or {}, stream, verify, cert)
        return self.send(prepared, timeout=timeout, allow_redirects=allow_redirects, **settings)

    def merge_environment_settings(self, url, proxies, stream, verify, cert):
        return {'proxies': merge_setting(proxies, self.proxies), 'stream': merge_setting(stream, self.stream),
                'verify': merge_setting(verify, self.verify), 'cert': merge_setting(cert, self.cert)}

    def send(self, request, **kwargs):
        if isinstance(request, Request):
            raise ValueError('You can only send PreparedRequests.')
        for name in ('stream', 'verify', 'cert', 'proxies'):
            kwargs.setdefault(name, getattr(self, name))
        allow_redirects = kwargs.pop('allow_redirects', True)
        began = time.monotonic()
        r = self.get_adapter(request.url).send(request, **kwargs)
        r.elapsed = datetime.timedelta(seconds=time.monotonic() - began)
        r = dispatch_hook('response', request.hooks, r, **kwargs)
        following = self.resolve_redirects(r, request, **kwargs)
        if allow_redirects:
            history = []
            for after in following:
                history.append(r)
                r = after
            r.history = history
        else:
            r._next = next(self.resolve_redirects(r, request, yield_requests=True, **kwargs), None)
        if not kwargs['stream']:
            r.content
        return r

    def get_redirect_target(self, resp):
        return resp.headers['location'] if resp.is_redirect else None

    def resolve_redirects(self, resp, req, stream=False, timeout=None, verify=True, cert=None, proxies=None,
                          yield_requests=False,
                          **adapter_kwargs):
        """Yields the responses of redirects one after another, or the next request alone."""
        history = []
        while target := self.get_redirect_target(resp):
            p = self._redirected(resp, req, target)
            if yield_requests:
                yield p
                return
            try:
                resp.content  # its connection is for others
            except (ChunkedEncodingError, ConnectionError, RuntimeError):
                pass
            resp.history = history[:]
            history.append(resp)
            if len(history) > self.max_redirects:
                raise TooManyRedirects(f'Exceeded {self.max_redirects} redirects.', response=resp)
            resp.close()
            resp = self.send(p, stream=stream, timeout=timeout, verify=verify, cert=cert, proxies=proxies,
                             allow_redirects=False,
                             **adapter_kwargs)
            req = p
            yield resp

    def _redirected(self, resp, req, target):
        """Returns the request that a redirect asks for."""
        p = req.copy()
        url = urljoin(resp.url, requote_uri(target))
        fragment = urlsplit(resp.url).fragment
        p.url = url if '#' in url or not fragment else f'{url}#{fragment}'
        self.rebuild_method(p, resp)
        if resp.status_code not in (307, 308):
            for name in ('Content-Length', 'Content-Type', 'Transfer-Encoding'):
                p.headers.pop(name, None)
            p.body = None
        elif p.body is not None and not isinstance(p.body, (str, bytes, bytearray)):
            if p._body_position is None:
                raise UnrewindableBodyError('Unable to rewind request body for redirect.')
            p.body.seek(p._body_position)
        p.headers.pop('Cookie', None)
        self.rebuild_auth(p, resp)
        return p

    def rebuild_method(self, prepared_request, response):
        method, status = prepared_request.method, response.status_code
        if status in (302, 303) and method != 'HEAD' or status == 301 and method == 'POST':
            prepared_request.method = 'GET'

    def rebuild_auth(self, prepared_request, response):
        if self.should_strip_auth(response.request.url, prepared_request.url):
            prepared_request.headers.pop('Authorization', None)

    def should_strip_auth(self, old_url, new_url):
        """Reports whether credentials for one URL are not for another: their origins differ, unless only TLS is new."""
        old, new = _origin(old_url), _origin(new_url)
        return old != new and (old, new) != (('http', new[1], 80), ('https', old[1], 443))

    def get(self, url, **kwargs):
        return self.request('GET', url, **kwargs)

    def options(self, url, **kwargs):
        return self.request('OPTIONS', url, **kwargs)

    def head(self, url, **kwargs):
        kwargs.setdefault('allow_redirects', False)
        return self.request('HEAD', url, **kwargs)

    def post(self, url, data=None, json=None, **kwargs):
        return self.request('POST', url, data=data, json=json, **kwargs)

    def put(self, url, data=None, **kwargs):
        return self.request('PUT', url, data=data, **kwargs)

    def patch(self, url, data=None, **kwargs):
        return self.request('PATCH', url, data=data, **kwargs)

    def delete(self, url, **kwargs):
        return self.request('DELETE', url, **kwargs)


def session():
    return Session()
