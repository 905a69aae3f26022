# Functions of the host.


class ToolError(Exception):
    """What a call of a tool is answered with when it fails."""

    code = None


class Functions:
    """An object whose attributes are functions of the host. Names that are not identifiers can be subscripts."""

    def __getitem__(self, name):
        return self.__dict__[name]

    def __repr__(self):
        return f'<functions: {", ".join(self.__dict__)}>'


def function(number, name):
    def call(*args, **kwargs):
        answer = json.loads(fetch(b'C', encode([number, args, kwargs]).encode()))
        if 'error' in answer:
            kind = ToolError if answer['error'] == 'ToolError' else getattr(builtins, answer['error'], None)
            if not isinstance(kind, type) or not issubclass(kind, Exception):
                kind = RuntimeError
            error = kind(answer['message'])
            if answer['code']:
                error.code = answer['code']
            raise error
        return answer.get('value')
    call.__name__ = call.__qualname__ = name
    return call


def install(names, scope):
    """Defines functions of the host in a scope."""
    for number, name in enumerate(names):
        target = scope
        *path, last = name.split('.', 1)
        for part in path:
            target = target.setdefault(part, Functions()).__dict__
        target[last] = function(number, name)
    scope['ToolError'] = ToolError
