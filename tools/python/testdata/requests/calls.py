# Debian: python3-requests python3-urllib3 python3-idna python3-certifi python3-chardet python3-six
import requests

BASE = 'http://base'
echo = BASE + '/echo'
print(requests.get(echo, params={'a': ['b', 'c d'], 'none': None, 'u': 'ü'}).json())
print(requests.get(echo + '?x=1', params=[('a', 1), ('a', 2)]).url)
print(requests.post(echo, json={'a': 'ü'}).json())
print(requests.post(echo, data={'a': 'b c', 'list': [1, 2]}).json())
print(requests.put(echo, data='x', headers={'Content-Type': 'text/plain'}).json())
print(requests.patch(echo, data=[('a', 'b')]).json())
print(requests.delete(echo).json(), requests.options(echo).json())
print(requests.post(echo, data=b'\x00\xff').json())
head = requests.head(BASE + '/redirect')
print(head.status_code, head.content, head.text)
print(requests.get(echo, auth=('user', 'word')).json()['auth'])
print(requests.get(echo.replace('//', '//user:word@')).json()['auth'])
r = requests.get(echo)
print(r.ok, bool(r), r.reason, r.status_code, r.encoding, r.apparent_encoding, r.elapsed.total_seconds() > 0, r.links,
      r)
print(r.request, r.request.method, r.request.path_url, r.request.body, r.headers['CONTENT-type'],
      'x-twice' in r.headers)
print(requests.codes.ok, requests.codes.not_found, requests.codes.teapot, requests.codes['too_many'],
      requests.codes.NOT_FOUND)
