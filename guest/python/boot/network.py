# The network, where the host allows it: urllib.request makes its requests by the host, and so does the package
# requests.

HIDDEN = 'toolrun:'
hidden = {}  # functions of the host for modules such as these, by name
request_numbers = itertools.count(1)


class Body(io.RawIOBase):
    """The body of a response, which is read when somebody wants it."""

    def __init__(self, number, part):
        self.number = number
        self.take(part)

    def take(self, part):
        self.part = base64.b64decode(part['data'] or '')
        self.over = part['done']

    def readable(self):
        return True

    def readinto(self, into):
        while not self.part and not self.over:
            self.take(hidden['read'](self.number, len(into)))
        size = min(len(into), len(self.part))
        into[:size] = self.part[:size]
        self.part = self.part[size:]
        return size

    def close(self):
        self.part = b''
        if not self.closed and not self.over:
            self.over = True
            hidden['end'](self.number)
        super().close()


def request(method, url, headers, body, redirect, timeout):
    """Makes a request. Returns what the host says of the response, with its body."""
    if body is not None:
        body = base64.b64encode(body).decode()
    number = next(request_numbers)
    fields = [text.decode('latin1') if isinstance(text, bytes) else str(text) for text in itertools.chain(*headers)]
    got = hidden['begin'](number, method, url, redirect, fields, body, timeout)
    got['headers'] = list(zip(got['headers'][::2], got['headers'][1::2]))
    got['body'] = io.BufferedReader(Body(number, got))
    return got


def body_bytes(data):
    """Returns the bytes of what urllib and http.client take as a body."""
    if data is None:
        return None
    if isinstance(data, str):
        return data.encode('iso-8859-1')
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    if hasattr(data, 'read'):
        return data.read()
    return b''.join(data)


def open_request(self, req):
    """What urllib's handlers of http and https do."""
    import email.message
    import http.client
    import urllib.error
    import urllib.response
    headers = dict(req.unredirected_hdrs)
    headers.update((name, value) for name, value in req.headers.items() if name not in headers)
    if bad := re.search('[\\x00-\\x20\\x7f]', req.selector):
        raise http.client.InvalidURL(f"URL can't contain control characters. {req.selector!r} "
                                     f"(found at least {bad[0]!r})")
    timeout = req.timeout if isinstance(req.timeout, (int, float)) else None
    try:
        got = request(req.get_method(), req.full_url.partition('#')[0], headers.items(), body_bytes(req.data), 'manual',
                      timeout)
    except TimeoutError:
        raise TimeoutError('timed out') from None
    except OSError as error:
        raise urllib.error.URLError(str(error)) from error
    fields = email.message.Message()
    for name, value in got['headers']:
        fields[name] = value
    response = urllib.response.addinfourl(got['body'], fields, got['url'], got['status'])
    response.msg = response.reason = got['statusText']
    response.getheader = lambda name, default=None: fields.get(name, default)
    response.getheaders = fields.items
    response.version = 11
    return response


def refuse_ftp(self, req):
    """What urllib's handler of ftp does."""
    import urllib.error
    raise urllib.error.URLError('requests go to https: and http: only, not to ftp:')


def patch_urllib(module):
    class HTTPHandler(module.AbstractHTTPHandler):
        """Makes requests over the network that the host allows."""

        def __init__(self, debuglevel=None, context=None, check_hostname=None):
            super().__init__(debuglevel)  # the host checks certificates, whatever a context says

        http_open = https_open = open_request
        http_request = https_request = module.AbstractHTTPHandler.do_request_

    module.HTTPHandler = module.HTTPSHandler = HTTPHandler
    module.FTPHandler.ftp_open = refuse_ftp
    module.getproxies = lambda: {}


class Patching:
    """A loader that changes what another one has loaded."""

    def __init__(self, loader):
        self.loader = loader

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        patch_urllib(module)


class NetworkFinder:
    """Changes urllib.request when it is imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == 'urllib.request':
            spec = importlib.machinery.PathFinder.find_spec(name, path, target)
            if spec is not None:
                spec.loader = Patching(spec.loader)
            return spec
        return None


class SourceFinder:
    """Finds the modules of SOURCES, where nobody else has found them: those of the project come first."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        needs_network = name.partition('.')[0] in ('requests', 'urllib3')
        if name in SOURCES and (NetworkFinder in sys.meta_path or not needs_network):
            return importlib.machinery.ModuleSpec(name, SourceFinder, is_package=SOURCES[name]['package'])
        return None

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        if module.__name__ == 'requests.adapters':
            module.host_request = request
        exec(compile(SOURCES[module.__name__]['source'], f'<{module.__name__}>', 'exec', dont_inherit=True),
             module.__dict__)


class StandIns:
    """Finds modules that the standard library has without what they need."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return SourceFinder.find_spec(name) if name.partition('.')[0] in INSTEAD_OF_NATIVE else None


INSTEAD_OF_NATIVE = {'ctypes', 'mmap', 'ssl', '_multiprocessing'}.difference(
    name.removeprefix('_') if name != '_multiprocessing' else name for name in sys.builtin_module_names)
if importlib.machinery.PathFinder.find_spec('multiprocessing', [os.path.dirname(os.__file__)]) is None:
    del SOURCES['_multiprocessing']  # what tries to import it would go on with the package
sys.meta_path.insert(sys.meta_path.index(importlib.machinery.PathFinder), StandIns)
sys.meta_path.append(SourceFinder)


def start_network():
    """Is called when the host has a network."""
    if NetworkFinder not in sys.meta_path:
        sys.meta_path.insert(0, NetworkFinder)
        if 'urllib.request' in sys.modules:
            patch_urllib(sys.modules['urllib.request'])
