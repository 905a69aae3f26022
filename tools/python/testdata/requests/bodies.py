import io

import requests

BASE = 'http://base'
print(list(requests.get(BASE + '/lines', stream=True).iter_lines()))
print(list(requests.get(BASE + '/lines').iter_lines(decode_unicode=True, chunk_size=2)))
print([len(chunk) for chunk in requests.get(BASE + '/lines', stream=True).iter_content(7)])
print(b''.join(requests.get(BASE + '/lines', stream=True).iter_content(None)))
with requests.get(BASE + '/lines', stream=True) as r:
    r.raise_for_status()
    with open('lines.txt', 'wb') as file:
        for chunk in r.iter_content(chunk_size=8192):
            file.write(chunk)
latin = requests.get(BASE + '/latin')
print(latin.encoding, latin.text)
latin.encoding = 'cp1252'
print(latin.text, latin.content)
print(requests.get(BASE + '/gzip').text)


def parts():
    yield b'one '
    yield b'two'


print(requests.post(BASE + '/echo', data=parts()).json()['body'])
print(requests.post(BASE + '/echo', data=io.BytesIO(b'file')).json()['body'])
sent = requests.post(BASE + '/echo', files={'f': ('name.txt', 'data', 'text/plain')}, data={'k': 'v'})
boundary = sent.request.headers['Content-Type'].partition('boundary=')[2]
print(sent.json()['body'].replace(boundary, 'BOUNDARY'))
