"""The package requests, over the network that the host allows. Cookies are neither sent nor kept."""

from . import (adapters, api, auth, compat, cookies, exceptions, hooks, models, packages, sessions, status_codes,
               structures, utils)
from .api import delete, get, head, options, patch, post, put, request
from .exceptions import (ConnectionError, ConnectTimeout, FileModeWarning, HTTPError, JSONDecodeError, ReadTimeout,
                         RequestException, Timeout, TooManyRedirects, URLRequired)
from .models import PreparedRequest, Request, Response
from .sessions import Session, session
from .status_codes import codes
from .utils import __version__
