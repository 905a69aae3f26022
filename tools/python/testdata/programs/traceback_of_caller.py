import json


def load(text):
    return json.loads(text)['key']


def main():
    print('begin')
    try:
        load('{}')
    except KeyError as error:
        raise RuntimeError('cannot load') from error


main()
