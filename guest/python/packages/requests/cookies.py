"""Cookies are neither sent nor kept. What code puts into a jar stays there."""


class RequestsCookieJar(dict):
    def set(self, name, value, **attributes):
        if value is None:
            self.pop(name, None)
        else:
            self[name] = value

    def get(self, name, default=None, domain=None, path=None):
        return super().get(name, default)

    def get_dict(self, domain=None, path=None):
        return dict(self)

    def copy(self):
        return RequestsCookieJar(self)

    def __repr__(self):
        return f'<RequestsCookieJar{[*self.items()]}>'


def cookiejar_from_dict(cookie_dict, cookiejar=None, overwrite=True):
    jar = RequestsCookieJar() if cookiejar is None else cookiejar
    for name, value in (cookie_dict or {}).items():
        if overwrite or name not in jar:
            jar[name] = value
    return jar


def merge_cookies(cookiejar, cookies):
    cookiejar.update(cookies)
    return cookiejar
