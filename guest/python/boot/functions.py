# Functions of the host.


class ToolError(Exception):
    """What a call of a tool is answered with when it fails."""

    __module__ = '__main__'
    code = None


class Functions:
    """An object whose attributes are functions of the host. Names that are not identifiers can be subscripts."""

    def __getitem__(self, name):
        return self.__dict__[name]

    def __repr__(self):
        return f'<functions: {", ".join(self.__dict__)}>'


class Function:
    """A function of the host. A call waits for the value, and gives it."""

    def __init__(self, number, name):
        self.number = number
        self.__name__ = self.__qualname__ = name

    def __repr__(self):
        return f'<function {self.__name__}>'

    def __call__(self, *args, **kwargs):
        return value_in(json.loads(fetch(b'C', self.request(args, kwargs))))

    def request(self, args, kwargs):
        return encode([self.number, args, kwargs]).encode()

    def start(self, *args, **kwargs):
        """Returns a coroutine that calls the function, while others go on."""
        call = self.perform(args, kwargs)
        call.__name__ = call.__qualname__ = self.__name__
        return call

    async def perform(self, args, kwargs):
        loop = asyncio.get_running_loop()
        if type(loop) is not Loop:
            return self(*args, **kwargs)
        number = ask(b'A', (b'l' if loop is driving else b'-') + self.request(args, kwargs))
        if number == 0:
            raise RuntimeError('too many calls at the same time: await some of those that are under way first')
        loop.calls[number] = future = loop.create_future()
        return value_in(await future)


def value_in(answer):
    """Returns the value of a call, or raises its error."""
    if 'error' in answer:
        kind = ToolError if answer['error'] == 'ToolError' else getattr(builtins, answer['error'], None)
        if not isinstance(kind, type) or not issubclass(kind, Exception):
            kind = RuntimeError
        error = kind(answer['message'])
        if answer['code']:
            error.code = answer['code']
        raise error
    return answer.get('value')


def next_call(timeout, can_leave):
    """Waits until a call ends, for some seconds at most, or without end if timeout is None. Returns its number and its
    answer, or None. It raises Suspended if that is allowed, and all calls have no answer for now."""
    ended = fetch(b'W', struct.pack('<d?', -1 if timeout is None else timeout, can_leave))
    if ended == b'S':
        raise Suspended
    return json.loads(ended) if ended else None


installed = 0  # how many functions the code can have; a session has those of earlier runs, too
objects = {}  # those that have functions as attributes, by their names


def install(names, scope):
    """Defines functions of the host in a scope, but for those that have been defined before."""
    global installed
    visible = False
    for number, name in enumerate(names[installed:], installed):
        if name.startswith(HIDDEN):
            hidden[name.removeprefix(HIDDEN)] = Function(number, name)
            if name == HIDDEN + 'environment':
                os.environ.update(hidden['environment']())
            else:
                start_network()
            continue
        visible = True
        target = scope
        owner, dot, last = name.rpartition('.')
        if dot:
            if owner not in objects:
                scope[owner] = objects[owner] = Functions()
            target = objects[owner].__dict__
        target[last] = Function(number, name)
    if visible:
        scope['ToolError'] = ToolError
        setattr(builtins, AWAITABLE, awaitable)
    installed = len(names)
