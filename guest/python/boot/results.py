# What is shown of a result, and what is handed to the host as data.

WIDTH = 100
PLAIN = {str, bytes, int, float, complex, bool, list, tuple, dict, set, frozenset, range}  # no pictures


def text_of(value):
    """Returns the value as a notebook shows it."""
    text = repr(value)
    if len(text) > WIDTH and type(value) in (dict, list, tuple, set, frozenset) and '\n' not in text:
        return pprint.pformat(value, width=WIDTH, compact=True, sort_dicts=False)
    if type(value) not in PLAIN and '\n' in text:
        return with_shape(value, text)
    return text


MOST_TYPES = 30  # columns whose types are shown


def with_shape(value, text):
    """Returns the text of an array or a table with its shape and types, which the text need not have."""
    pandas, numpy = sys.modules.get('pandas'), sys.modules.get('numpy')
    try:
        if pandas and isinstance(value, pandas.DataFrame):
            size = '[{} rows x {} columns]'.format(*value.shape)
            types = [f'{name}: {kind}' for name, kind in value.dtypes.iloc[:MOST_TYPES].items()]
            if len(kinds := set(value.dtypes)) == 1:
                types = [f'all {kinds.pop()}']
            elif len(types) < value.shape[1]:
                types.append('...')
            return f'{text.removesuffix(size).rstrip()}\n\n{size[:-1]}; {", ".join(types)}]'
        if numpy and isinstance(value, numpy.ndarray):
            return f'{text}\n[shape {value.shape}, {value.dtype}]'
    except Exception:  # of the value's own methods, or modules of these names that are others
        pass
    return text


PICTURES = {'_repr_png_': 'image/png', '_repr_jpeg_': 'image/jpeg', '_repr_svg_': 'image/svg+xml'}
KINDS = (*PICTURES.values(), 'image/gif', 'image/webp')
TEXTS = '_repr_markdown_', '_repr_latex_', '_repr_html_'


def picture_of(value):
    """Returns the type and the bytes of the picture that a notebook shows of the value, or None."""
    if isinstance(value, type):
        return None
    try:
        bundle = value._repr_mimebundle_() if hasattr(value, '_repr_mimebundle_') else None
        if isinstance(bundle, tuple):
            bundle = bundle[0]
        found = [(kind, bundle[kind]) for kind in KINDS if kind in bundle] if bundle else []
        # One after the other: each may encode the whole picture.
        found = found or ((kind, getattr(value, name)()) for name, kind in PICTURES.items() if hasattr(value, name))
        for kind, data in found:
            if isinstance(data, tuple):  # with metadata
                data = data[0]
            if isinstance(data, str):
                data = data.encode() if kind == 'image/svg+xml' else base64.b64decode(data)
            if isinstance(data, (bytes, bytearray)):
                return kind, bytes(data)
    except Exception:  # of the value's own methods: what is left is its repr
        pass
    return None


def show_figures():
    """Shows the figures that the code has drawn and neither shown nor closed, as a notebook does: see what
    contrib/python changes in Matplotlib."""
    show_all = getattr(sys.modules.get('matplotlib._pylab_helpers'), 'show_all', None)
    if show_all is not None:
        show_all()


def rich_text_of(value):
    """Returns the text that the value is made for, such as the source of HTML, or None if its repr is as good."""
    if type(value).__repr__ is object.__repr__:
        for name in TEXTS:
            text = getattr(value, name, None)
            text = text() if callable(text) and not isinstance(value, type) else None
            if isinstance(text, str):
                return text
    return None


def is_scalar(value):
    """Reports whether the value is one number, or the like, of NumPy."""
    try:
        return isinstance(value, getattr(sys.modules.get('numpy'), 'generic', ()))
    except Exception:  # of another module of this name
        return False


def shown_text_of(value):
    """Shows the value, and returns what is printed of it: its text, or what stands for a picture of it."""
    if type(value) not in PLAIN and not is_scalar(value):
        picture = picture_of(value)
        if picture is not None:
            kind, data = picture
            return fetch(b'I', kind.encode() + b'\0' + data).decode()
        text = rich_text_of(value)
        if text is not None:
            return text
    return text_of(value)


def note(text):
    print(text, file=sys.stderr)


CALLS = {opcode.opmap[name] for name in ('CALL', 'CALL_FUNCTION_EX')}


def note_definitions(parts, scope):
    """Says that code defines functions, and does nothing with them."""
    if len(scope) > at_first and not any(CALLS.intersection(part.co_code[::2]) for part in parts):
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
    if is_scalar(value):
        return value.item()
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
