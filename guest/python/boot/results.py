# What is shown of a result, and what is handed to the host as data.

WIDTH = 100


def text_of(value):
    """Returns the value as a notebook shows it."""
    text = repr(value)
    if len(text) > WIDTH and type(value) in (dict, list, tuple, set, frozenset) and '\n' not in text:
        return pprint.pformat(value, width=WIDTH, compact=True, sort_dicts=False)
    return text


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
