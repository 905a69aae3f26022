import json
import os
import urllib.error
import urllib.parse
import urllib.request

BASE = 'http://base'
print(json.load(urllib.request.urlopen(BASE + '/echo?a=b')))
with urllib.request.urlopen(BASE + '/echo') as r:
    print(r.status, r.code, r.getcode(), r.reason, r.headers['Content-Type'], r.headers.get_content_type(),
          r.info()['x-twice'])
    print(r.geturl().replace(BASE, 'BASE'), r.getheader('X-Twice'), r.headers.get_content_charset('none'), r.readable())
print([line for line in urllib.request.urlopen(BASE + '/lines')])
r = urllib.request.urlopen(BASE + '/lines')
print(r.read(3), r.readline(), r.read(), r.read())
print(json.load(urllib.request.urlopen(BASE + '/echo', data=urllib.parse.urlencode({'a': 'b c'}).encode())))
request = urllib.request.Request(BASE + '/echo', data=json.dumps({'a': 1}).encode(),
                                 headers={'Content-Type': 'application/json', 'X-Own': 'me'}, method='PUT')
print(json.load(urllib.request.urlopen(request)))
try:
    urllib.request.urlopen(BASE + '/status/404')
except urllib.error.HTTPError as error:
    print(error.code, error.reason, error.read(), error.headers['content-type'], error,
          isinstance(error, urllib.error.URLError))
print(urllib.request.urlopen(BASE + '/redirects').geturl().replace(BASE, 'BASE'))
opener = urllib.request.build_opener()
opener.addheaders = [('X-Own', 'opener')]
print(json.load(opener.open(BASE + '/echo'))['own'])


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None


try:
    urllib.request.build_opener(NoRedirects).open(BASE + '/redirect')
except urllib.error.HTTPError as error:
    print(error.code, error.headers['location'])
name, headers = urllib.request.urlretrieve(BASE + '/lines', 'lines.txt')
print(name, headers['content-type'], os.path.getsize(name))
passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
passwords.add_password(None, BASE, 'user', 'word')
asking = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(passwords))
print(json.load(asking.open(BASE + '/protected'))['auth'])
for call in (lambda: urllib.request.urlopen(BASE + '/never', timeout=0.1).read(),
             lambda: urllib.request.urlopen('nothing'),
             lambda: urllib.request.urlopen(BASE + '/a b'), lambda: urllib.request.urlopen(BASE + '/loop')):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, getattr(error, 'code', None))
