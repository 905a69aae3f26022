# What is shown of a result, and what is handed to the host as data.

WIDTH = 100


def text_of(value):
    """Returns the value as a notebook shows it."""
    text = repr(value)
    if len(text) > WIDTH and type(value) in (dict, list, tuple, set, frozenset) and '\n' not in text:
        return pprint.pformat(value, width=WIDTH, compact=True, sort_dicts=False)
    return text


def note(text):
    print(text, file=sys.stderr)


CALLS = {opcode.opmap[name] for name in ('CALL', 'CALL_FUNCTION_EX')}


def note_definitions(parts, scope):
    """Says that code defines functions, and does nothing with them."""
    if not any(CALLS.intersection(part.co_code[::2]) for part in parts):
        names = [name for name, value in scope.items()
                 if isinstance(value, types.FunctionType) and value.__code__.co_filename == parts[0].co_filename]
        if names:
            note(f'The code defines {", ".join(names)}, and calls nothing. To run it, end the code with a call.')


def note_dropped(value):
    """Says that a result was not called, or not awaited."""
    if isinstance(value, types.FunctionType):
        note('The result is a function, which was not called. To get what it returns, call it.')
    elif isinstance(value, (list, tuple, set)):
        coroutines = [one for one in value if inspect.iscoroutine(one)]
        for one in coroutines:
            one.close()
        if coroutines:
            note('The result has coroutines, which were not awaited. To get what they return, write: '
                 'await asyncio.gather(*...)')


def plain_warning(message, *, usual=warnings._formatwarnmsg_impl):
    """Formats a warning without advice to trace memory."""
    message.source = None
    return usual(message)


warnings._formatwarnmsg_impl = plain_warning


def plain(value):
    """Is called for a value that JSON does not have."""
    if isinstance(value, (set, frozenset, collections.deque, range)):
        return list(value)
    if isinstance(value, collections.abc.Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    raise TypeError


encode = json.JSONEncoder(default=plain, allow_nan=False).encode


def data_of(value, room):
    """Returns the value as JSON, or None if it is not data or longer than room."""
    if isinstance(value, (str, bytes)) and len(value) > room:
        return None
    try:
        text = encode(value)
    except Exception:
        return None
    return text if len(text) <= room else None
