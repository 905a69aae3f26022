"""Names that code for several versions of Python imports from here."""

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, MutableMapping
from io import StringIO
from json import JSONDecodeError
from urllib.parse import (quote, quote_plus, unquote, unquote_plus, urldefrag, urlencode, urljoin, urlparse, urlsplit,
                          urlunparse)

is_py2, is_py3 = False, True
builtin_str = str
str = str
bytes = bytes
basestring = (str, bytes)
numeric_types = (int, float)
integer_types = (int,)
