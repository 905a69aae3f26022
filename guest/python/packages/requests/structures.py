"""Dicts that the package uses."""

from collections.abc import Mapping, MutableMapping


class CaseInsensitiveDict(MutableMapping):
    """A dict of headers, whose names are in any case. It keeps the case of the last one that was set."""

    def __init__(self, data=None, **more):
        self._items = {}
        self.update(data or {}, **more)

    def __setitem__(self, name, value):
        self._items[name.lower()] = name, value

    def __getitem__(self, name):
        return self._items[name.lower()][1]

    def __delitem__(self, name):
        del self._items[name.lower()]

    def __iter__(self):
        return (name for name, _ in self._items.values())

    def __len__(self):
        return len(self._items)

    def lower_items(self):
        return ((low, value) for low, (_, value) in self._items.items())

    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self.lower_items()) == dict(CaseInsensitiveDict(other).lower_items())

    def copy(self):
        return CaseInsensitiveDict(self)

    def __repr__(self):
        return str(dict(self.items()))


class LookupDict(dict):
    """A dict whose items are attributes. Those that are not there are None with []."""

    def __init__(self, name=None):
        super().__init__()
        self.name = name

    def __repr__(self):
        return f"<lookup '{self.name}'>"

    def __getitem__(self, key):
        return self.__dict__.get(key)

    def get(self, key, default=None):
        return self.__dict__.get(key, default)
