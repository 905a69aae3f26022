import requests

BASE = 'http://base'


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, [c.__name__ for c in type(error).__mro__[1:-1]])


for path in ('/status/404', '/status/503'):
    try:
        requests.get(BASE + path).raise_for_status()
    except requests.HTTPError as error:
        print(error.response.status_code, str(error).replace(BASE, 'BASE'))
attempt(lambda: requests.get(BASE + '/status/404').json())
attempt(lambda: requests.get(BASE + '/never', timeout=0.1))
attempt(lambda: requests.get(BASE + '/never', timeout=(5, 0.1)))
attempt(lambda: requests.get(BASE + '/loop'))
attempt(lambda: requests.get(BASE + '/echo', headers={'a': 'b\nc'}))
for url in ('nothing', 'http://', 'ftp://x/', '', 'http:///a', 'mailto:x'):
    attempt(lambda: requests.get(url))
names = sorted(n for n in dir(requests.exceptions) if isinstance(getattr(requests.exceptions, n), type) and
               issubclass(getattr(requests.exceptions, n), requests.RequestException))
print([n for n in names if n not in ('CompatJSONDecodeError',)])
