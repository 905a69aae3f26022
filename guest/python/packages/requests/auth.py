"""What puts names and passwords into requests."""

import base64


def _basic_auth_str(username, password):
    parts = [part if isinstance(part, bytes) else str(part).encode('latin1') for part in (username, password)]
    return 'Basic ' + base64.b64encode(b':'.join(parts)).decode()


class AuthBase:
    def __call__(self, r):
        raise NotImplementedError('Auth hooks must be callable.')


class HTTPBasicAuth(AuthBase):
    def __init__(self, username, password):
        self.username, self.password = username, password

    def __eq__(self, other):
        return (self.username, self.password) == (getattr(other, 'username', None), getattr(other, 'password', None))

    def __call__(self, r):
        r.headers['Authorization'] = _basic_auth_str(self.username, self.password)
        return r


class HTTPProxyAuth(HTTPBasicAuth):
    def __call__(self, r):
        r.headers['Proxy-Authorization'] = _basic_auth_str(self.username, self.password)
        return r
