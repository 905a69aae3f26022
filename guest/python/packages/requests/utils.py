"""Functions of the package that code uses, too."""

import codecs
import os
import re
from urllib.parse import quote, unquote, urlparse, urlsplit, urlunparse, urlunsplit

from .cookies import cookiejar_from_dict
from .exceptions import InvalidHeader, InvalidURL
from .structures import CaseInsensitiveDict

__version__ = '2.32.0'

UNRESERVED = frozenset('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~')


def default_user_agent(name='python-requests'):
    return f'{name}/{__version__}'


def default_headers():
    return CaseInsensitiveDict({'User-Agent': default_user_agent(), 'Accept-Encoding': 'gzip, deflate', 'Accept': '*/*',
                                'Connection': 'keep-alive'})


def dict_from_cookiejar(cj):
    return dict(cj.items()) if hasattr(cj, 'items') else {cookie.name: cookie.value for cookie in cj}


def to_key_val_list(value):
    if value is None:
        return None
    if isinstance(value, (str, bytes, bool, int)):
        raise ValueError('cannot encode objects that are not 2-tuples')
    return list(value.items() if hasattr(value, 'items') else value)


def guess_filename(obj):
    name = getattr(obj, 'name', None)
    if isinstance(name, (str, bytes)) and name and name[:1] not in ('<', b'<'):
        return os.path.basename(name)


def unquote_unreserved(uri):
    def one(match):
        char = chr(int(match[1], 16))
        return char if char in UNRESERVED else match[0]
    return re.sub('%([0-9a-fA-F]{2})', one, uri)


def requote_uri(uri):
    """Quotes what cannot be in a URI, and nothing twice."""
    safe = "!#$&'()*+,/:;=?@[]~"
    if not re.search('%(?![0-9a-fA-F]{2})', uri):
        uri, safe = unquote_unreserved(uri), safe + '%'
    return quote(uri, safe=safe)


def get_auth_from_url(url):
    parts = urlsplit(url)
    if parts.username is None and parts.password is None:
        return '', ''
    return unquote(parts.username or ''), unquote(parts.password or '')


def urldefragauth(url):
    """Returns a URL without its fragment, user and password."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition('@')[2], parts.path, parts.query, ''))


def prepend_scheme_if_needed(url, new_scheme):
    return url if '://' in url else f'{new_scheme}://{url}'


def get_encoding_from_headers(headers):
    kind, _, parameters = headers.get('content-type', '').partition(';')
    found = re.search(r'(?:^|;)\s*charset\s*=\s*["\']?([^\s;"\']+)', parameters, re.I)
    if found:
        return found[1]
    if 'text' in kind:
        return 'ISO-8859-1'
    return 'utf-8' if 'application/json' in kind else None


def parse_header_links(value):
    """Parses a header Link: a list of dicts, each with its url and its parameters."""
    links = []
    for url, parameters in re.findall(r'<([^>]*)>((?:\s*;\s*[^=;,<>]+(?:=(?:"[^"]*"|\'[^\']*\'|[^;,]*))?)*)', value):
        link = {'url': url}
        for name, text in re.findall(r';\s*([^=;,\s]+)\s*=\s*("[^"]*"|\'[^\']*\'|[^;,]*)', parameters):
            link[name] = text.strip(' \'"')
        links.append(link)
    return links


def stream_decode_response_unicode(iterator, r):
    if r.encoding is None:
        yield from iterator
        return
    decoder = codecs.getincrementaldecoder(r.encoding)('replace')
    for chunk in iterator:
        if text := decoder.decode(chunk):
            yield text
    if text := decoder.decode(b'', final=True):
        yield text


def check_header_validity(header):
    for part, kind in zip(header, ('name', 'value')):
        if not isinstance(part, (str, bytes)):
            raise InvalidHeader(f'Header part ({part!r}) from {header} must be of type str or bytes, not {type(part)}')
        text = part.decode('latin1') if isinstance(part, bytes) else part
        if not re.fullmatch(r'[^:\s][^:\r\n]*' if kind == 'name' else r'(?:\S[^\r\n]*)?', text):
            raise InvalidHeader('Invalid leading whitespace, reserved character(s), or return'
                                f'character(s) in header {kind}: {part!r}')
