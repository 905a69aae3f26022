# Sockets as on a machine without a network: they can be made, and reach nothing. So code that looks for addresses, or
# tries to connect, gets the errors that it expects.


def unreachable(*arguments, **options):
    raise OSError(errno.ENETUNREACH, 'Network is unreachable')


class Socket(socket.socket):
    family, type, proto, timeout = socket.AF_INET, socket.SOCK_STREAM, 0, None

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        if fileno is not None:
            unreachable()
        if family != -1:
            self.family = family
        if type != -1:
            self.type = type
        self.proto = max(proto, 0)
        self.timeout = socket.getdefaulttimeout()
        self._io_refs, self._closed = 0, False

    def settimeout(self, seconds, /):
        self.timeout = seconds

    def setblocking(self, blocks, /):
        self.timeout = None if blocks else 0.0

    def gettimeout(self, /):
        return self.timeout

    def getblocking(self, /):
        return self.timeout != 0

    def setsockopt(self, *option):
        """Keeps nothing, since nothing is connected."""

    def connect_ex(self, address, /):
        return errno.ENETUNREACH

    connect = bind = listen = accept = send = sendall = sendto = sendfile = unreachable
    recv = recv_into = recvfrom = recvfrom_into = shutdown = getsockname = getpeername = getsockopt = unreachable


Socket.__name__ = Socket.__qualname__ = 'socket'
Socket.__module__ = 'socket'
socket.socket = Socket


def gethostname():
    """Returns a name, which some packages want to have when they are imported."""
    return 'localhost'


def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    """Returns the address that is its own name: no other name is known."""
    host = host.decode() if isinstance(host, bytes) else host
    address = '127.0.0.1' if host in (None, '', 'localhost') else host
    try:
        socket.inet_aton(address)
    except OSError:
        raise socket.gaierror(socket.EAI_NONAME, 'Name or service not known') from None
    return [(socket.AF_INET, type or socket.SOCK_STREAM, proto, '', (address, int(port or 0)))]


def gethostbyname(host, /):
    return getaddrinfo(host, 0)[0][4][0]


def gethostbyname_ex(host, /):
    return host, [], [gethostbyname(host)]


def gethostbyaddr(address, /):
    if gethostbyname(address) != '127.0.0.1':
        raise socket.herror(1, 'Unknown host')
    return 'localhost', [], ['127.0.0.1']


def getservbyname(*service):
    raise OSError('service/proto not found')


for function in gethostname, getaddrinfo, gethostbyname, gethostbyname_ex, gethostbyaddr, getservbyname:
    for module in socket._socket, socket:
        if not hasattr(module, function.__name__):
            setattr(module, function.__name__, function)
