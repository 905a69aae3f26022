"""Stands for the module of this name, which packages import: its contexts can be made, and connect nothing. The host
makes the requests of urllib.request and the package requests, and always checks certificates."""

import enum as _enum
import socket as _socket

OPENSSL_VERSION = "OpenSSL 3.0.0 (a stand-in)"  # packages refuse, or warn of, what is older
OPENSSL_VERSION_INFO = (3, 0, 0, 0, 0)
OPENSSL_VERSION_NUMBER = 0x30000000
HAS_SNI = HAS_ALPN = HAS_ECDH = HAS_TLSv1_2 = HAS_TLSv1_3 = True
HAS_NPN = HAS_SSLv2 = HAS_SSLv3 = HAS_TLSv1 = HAS_TLSv1_1 = HAS_NEVER_CHECK_COMMON_NAME = False
CHANNEL_BINDING_TYPES = []


class SSLError(OSError):
    library = reason = None


class SSLZeroReturnError(SSLError): pass
class SSLWantReadError(SSLError): pass
class SSLWantWriteError(SSLError): pass
class SSLSyscallError(SSLError): pass
class SSLEOFError(SSLError): pass
class SSLCertVerificationError(SSLError, ValueError): pass


CertificateError = SSLCertVerificationError
socket_error = OSError


class _SSLMethod(_enum.IntEnum):
    PROTOCOL_SSLv23 = PROTOCOL_TLS = 2
    PROTOCOL_TLSv1 = 3
    PROTOCOL_TLSv1_1 = 4
    PROTOCOL_TLSv1_2 = 5
    PROTOCOL_TLS_CLIENT = 16
    PROTOCOL_TLS_SERVER = 17


class VerifyMode(_enum.IntEnum):
    CERT_NONE, CERT_OPTIONAL, CERT_REQUIRED = range(3)


class TLSVersion(_enum.IntEnum):
    MINIMUM_SUPPORTED = -2
    MAXIMUM_SUPPORTED = -1
    SSLv3 = 768
    TLSv1 = 769
    TLSv1_1 = 770
    TLSv1_2 = 771
    TLSv1_3 = 772


class Options(_enum.IntFlag):
    OP_ALL = 0x80000050
    OP_NO_COMPRESSION = 0x20000
    OP_CIPHER_SERVER_PREFERENCE = 0x400000
    OP_SINGLE_DH_USE = OP_SINGLE_ECDH_USE = OP_NO_SSLv2 = 0
    OP_NO_SSLv3 = 0x2000000
    OP_NO_TLSv1 = 0x4000000
    OP_NO_TLSv1_1 = 0x10000000
    OP_NO_TLSv1_2 = 0x8000000
    OP_NO_TLSv1_3 = 0x20000000
    OP_NO_TICKET = 0x4000
    OP_NO_RENEGOTIATION = 0x40000000
    OP_ENABLE_MIDDLEBOX_COMPAT = 0x100000
    OP_IGNORE_UNEXPECTED_EOF = 0x80


class VerifyFlags(_enum.IntFlag):
    VERIFY_DEFAULT = 0
    VERIFY_CRL_CHECK_LEAF = 4
    VERIFY_CRL_CHECK_CHAIN = 12
    VERIFY_X509_STRICT = 32
    VERIFY_ALLOW_PROXY_CERTS = 64
    VERIFY_X509_TRUSTED_FIRST = 0x8000
    VERIFY_X509_PARTIAL_CHAIN = 0x80000


for _kind in _SSLMethod, VerifyMode, Options, VerifyFlags:
    globals().update(_kind.__members__)


class Purpose(_enum.Enum):
    SERVER_AUTH = "1.3.6.1.5.5.7.3.1"
    CLIENT_AUTH = "1.3.6.1.5.5.7.3.2"


def _refuse(*args, **kwargs):
    raise SSLError("there is no TLS here: use urllib.request or the package requests")


class SSLSocket(_socket.socket):
    __init__ = _refuse


class SSLObject:
    __init__ = _refuse


class SSLSession: pass


class MemoryBIO:
    __init__ = _refuse


class SSLContext:
    """Keeps what it is told."""

    sslsocket_class, sslobject_class = SSLSocket, SSLObject
    keylog_filename = sni_callback = None
    post_handshake_auth = False
    hostname_checks_common_name = True
    num_tickets = security_level = 2
    session_stats = get_ca_certs = get_ciphers = cert_store_stats = lambda self, *args, **kwargs: []

    def __init__(self, protocol=PROTOCOL_TLS):
        self.protocol = protocol
        client = protocol == PROTOCOL_TLS_CLIENT
        self.check_hostname = client
        self.verify_mode = CERT_REQUIRED if client else CERT_NONE
        self.options = OP_ALL | OP_NO_SSLv3
        self.verify_flags = VERIFY_X509_TRUSTED_FIRST
        self.minimum_version, self.maximum_version = TLSVersion.TLSv1_2, TLSVersion.MAXIMUM_SUPPORTED

    def _keep(self, *args, **kwargs): pass

    load_cert_chain = load_verify_locations = load_default_certs = set_default_verify_paths = load_dh_params = _keep
    set_ciphers = set_alpn_protocols = set_npn_protocols = set_ecdh_curve = set_servername_callback = _keep
    wrap_socket = wrap_bio = _refuse


def create_default_context(purpose=Purpose.SERVER_AUTH, *, cafile=None, capath=None, cadata=None):
    return SSLContext(PROTOCOL_TLS_CLIENT if purpose == Purpose.SERVER_AUTH else PROTOCOL_TLS_SERVER)


def _create_unverified_context(protocol=None, **kwargs):
    return SSLContext(PROTOCOL_TLS)


_create_default_https_context = create_default_context
_create_stdlib_context = _create_unverified_context
wrap_socket = get_server_certificate = RAND_add = _refuse


def RAND_bytes(number):
    import os
    return os.urandom(number)


def RAND_status(): return True


def cert_time_to_seconds(text):
    import calendar, time
    return calendar.timegm(time.strptime(text, "%b %d %H:%M:%S %Y GMT"))


def DER_cert_to_PEM_cert(data):
    import base64, textwrap
    return ("-----BEGIN CERTIFICATE-----\n" + textwrap.fill(base64.b64encode(data).decode(), 64) +
            "\n-----END CERTIFICATE-----\n")


def PEM_cert_to_DER_cert(text):
    import base64
    return base64.b64decode("".join(text.strip().splitlines()[1:-1]))


class _DefaultVerifyPaths:
    cafile = capath = openssl_cafile_env = openssl_cafile = openssl_capath_env = openssl_capath = None


def get_default_verify_paths(): return _DefaultVerifyPaths()
