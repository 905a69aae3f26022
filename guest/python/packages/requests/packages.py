"""urllib3, under the name that it had when it was a part of requests."""

import sys

import urllib3
import urllib3.util.retry

for _name in [name for name in sys.modules if name.partition('.')[0] == 'urllib3']:
    sys.modules[f'{__name__}.{_name}'] = sys.modules[_name]
