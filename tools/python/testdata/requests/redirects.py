import requests

BASE = 'http://base'
r = requests.get(BASE + '/redirects')
print([(h.status_code, h.url.replace(BASE, 'BASE'), h.is_redirect, h.is_permanent_redirect, h.headers['location'],
        len(h.history)) for h in r.history])
print(r.url.replace(BASE, 'BASE'), r.status_code, r.request.method)
r = requests.get(BASE + '/redirect', allow_redirects=False)
print(r.status_code, r.is_redirect, r.next.url.replace(BASE, 'BASE'), r.history)
for status in (301, 302, 303, 307, 308):
    for method in ('POST', 'PUT', 'GET'):
        d = requests.request(method, f'{BASE}/redirect/{status}', data='x' if method != 'GET' else None).json()
        print(status, method, d['method'], d['body'])
with requests.Session() as s:
    s.max_redirects = 3
    try:
        s.get(BASE + '/loop')
    except requests.TooManyRedirects as error:
        print(error, error.response.status_code)
print(requests.get(BASE + '/redirect', auth=('u', 'p')).json()['auth'])
