import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

BASE = 'http://base'
echo = BASE + '/echo'
with requests.Session() as s:
    s.headers.update({'X-Own': 'me'})
    s.params = {'k': 'v'}
    s.auth = ('u', 'p')
    d = s.get(echo, params={'a': 1}).json()
    print(d['own'], d['url'], d['auth'])
    print(s.get(echo, headers={'X-Own': None}).json()['own'], s.request('POST', echo, data=b'x').json()['body'])

s = requests.Session()
p = s.prepare_request(requests.Request('POST', echo, json={'a': 1}, headers={'x-own': 'p'}))
p.headers['X-Own'] = 'q'
print(p.method, p.body, s.send(p).json()['own'], p.headers['content-length'])
print(requests.Request('GET', 'http://a/b', params={'a': 1}).prepare().url)

seen = []
requests.get(BASE + '/redirect', hooks={'response': lambda r, *args, **kwargs: seen.append(r.status_code)})
s.hooks['response'].append(lambda r, *args, **kwargs: r.raise_for_status())
try:
    s.get(BASE + '/status/500')
except requests.HTTPError as error:
    seen.append(error.response.status_code)
print(seen)


class Token(requests.auth.AuthBase):
    def __call__(self, r):
        r.headers['Authorization'] = 'Bearer token'
        return r


print(requests.get(echo, auth=Token()).json()['auth'])

s = requests.Session()
s.mount('http://', HTTPAdapter(max_retries=Retry(total=3, backoff_factor=0.01, status_forcelist=[503])))
print(s.get(BASE + '/unsteady?succeeds').status_code)
try:
    s.get(BASE + '/status/503')
except requests.exceptions.RetryError as error:
    print(type(error).__name__)
s.mount('http://', HTTPAdapter(max_retries=Retry(total=2, status_forcelist=[503], raise_on_status=False)))
print(s.get(BASE + '/status/503').status_code)


class Own(HTTPAdapter):
    def send(self, request, **options):
        request.headers['X-Own'] = 'adapter'
        return super().send(request, **options)


s.mount(BASE + '/echo', Own())
print(s.get(echo).json()['own'], s.get(BASE + '/other').json()['own'])
