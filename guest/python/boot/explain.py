# What is added to exceptions that mean that something does not exist here.

STANDARD = (f'This Python has {", ".join(["the standard library", *PACKAGES])} and packages of pure Python in '
            '/lib/python.')

MODULES = {
    'numpy': 'Use lists, math, statistics, array or fractions instead.',
    'pandas': 'Use csv, json, sqlite3 (in memory or in a file) and statistics instead.',
    'scipy': 'Use math, statistics or your own loops instead.',
    'sklearn': 'Use statistics (linear_regression, correlation) or your own loops instead.',
    'matplotlib': 'Write an SVG or HTML file instead.',
    'seaborn': 'Write an SVG or HTML file instead.',
    'plotly': 'Write an SVG or HTML file instead.',
    'PIL': 'There is no library for images; zlib and struct can write a PNG file.',
    'requests': 'There is no network.',
    'httpx': 'There is no network.',
    'aiohttp': 'There is no network.',
    'urllib3': 'There is no network.',
    '_ssl': 'There is no network.',
    'yaml': 'Use json or tomllib instead, or put a package of pure Python into /lib/python.',
    'lxml': 'Use xml.etree.ElementTree instead.',
    'bs4': 'Use html.parser instead, or put a package of pure Python into /lib/python.',
    'openpyxl': 'Read the XML in the file with zipfile and xml.etree.ElementTree instead.',
    'lzma': 'Use zlib or bz2 instead.',
    '_lzma': 'Use zlib or bz2 instead.',
    'pytest': 'Use unittest or doctest instead: the user can add pytest with toolrun py add pytest.',
    'pip': 'Packages cannot be installed from here: the user can add those of pure Python with toolrun py add NAME.',
    'concurrent.futures.process': 'There are no other processes: call the function directly.',
    'multiprocessing': 'There are no other processes: call the function directly.',
    '_posixsubprocess': 'There are no other processes.',
    '_ctypes': 'There are no native libraries.',
    'readline': 'There is no terminal.',
    'curses': 'There is no terminal.',
    '_curses': 'There is no terminal.',
    'tkinter': 'There is no display.',
    '_tkinter': 'There is no display.',
    'resource': 'Limits are set from outside.',
    'pwd': 'There are no users.',
    'grp': 'There are no users.',
}

NETWORK = 'There is no network.'
REQUESTS = 'Requests go through urllib.request or the package requests, to the hosts that are allowed.'
PROCESSES = 'There are no other processes: do it in Python.'
POOLS = 'There are no other processes: use concurrent.futures.ThreadPoolExecutor, or call the function directly.'
ZONE = 'The local time is UTC: use datetime with a zone, such as zoneinfo.ZoneInfo("Europe/Oslo").'

FILES = {
    'socket.py': NETWORK,
    'subprocess.py': PROCESSES,
}

FUNCTIONS = {
    'fork': PROCESSES, 'forkpty': PROCESSES, 'system': PROCESSES, 'spawnl': PROCESSES, 'spawnv': PROCESSES,
    'wait': PROCESSES, 'waitpid': PROCESSES, 'pipe': POOLS, 'execv': PROCESSES,
    'WNOHANG': PROCESSES,
    'geteuid': 'There are no users.', 'getlogin': 'There are no users.',
    'chown': 'There are no users.', 'statvfs': 'The size of the disk is not known.',
    'tzset': ZONE,
    'alarm': 'Limits are set from outside.', 'setitimer': 'Limits are set from outside.',
}

# What only exists where there is a library for TLS.
SECURE = re.compile('HTTPSConnection|HTTPSHandler|SMTP_SSL|FTP_TLS|IMAP4_SSL|POP3_SSL|unknown url type: .?https|'
                    'support HTTPS')

# What notebooks and terminals understand beside Python, by the beginning of the line.
NOTEBOOK_LINE = re.compile(r'\s*(?:\w+\s*=\s*)?([!?]|%(?=[%\w]))|\s*(>>>|\$)\s|\s*[\w.]+\?+\s*$')
COMMAND_LINE = re.compile(r'\s*(?:pip3?|conda|python3?|npm|npx|apt|apt-get|sudo|git|curl|wget|cd|ls|mkdir) +[\w./-]')
PIP_LINE = re.compile(r'\s*[!%]?\s*(?:python3? +-m +)?pip3? +install\b')
NO_PIP = ('There is no shell, and nothing can be installed: leave the line out. {} The user can add packages of pure '
          'Python with toolrun py add NAME.')
TEST_LINE = re.compile(r'\s*[!%]?\s*(?:python3? +-m +)?pytest\b')
NO_PYTEST = "There is no shell. Write import pytest; pytest.main(['-q']) instead."
NO_SHELL = 'There is no shell, and nothing can be installed: leave the line out, and do it in Python.'
NOTEBOOK = {
    '!': NO_SHELL,
    '$': NO_SHELL,
    '%': 'There are no magic commands: leave the line out.',
    '?': 'Use help(NAME) instead of a question mark.',
    '>>>': 'Leave out the prompts, and what was printed.',
}

# What SyntaxErrors and RuntimeErrors say, and what to write instead.
INSTEAD = {
    "'return' outside function": 'The value of the last expression is the result: write it without return.',
    'asyncio.run() cannot be called from a running event loop': 'Write await main() instead of asyncio.run(main()).',
    'This event loop is already running': 'Write await main() instead of running the loop.',
    "can't start new thread": 'Threads run one after the other: use threading.Thread, or call the function.',
    'no running event loop': 'Write await in the code itself, outside of functions: it makes a loop run.',
}

LOCKED = ('The database is locked by a folder of its name and ".lock". Another run is using the database, or its '
          'whole process was ended: if nobody uses it, remove the folder with os.rmdir.')


AWAITING = ("A call of a tool gives its value at once, unless it is awaited where it is written: "
            "await tools.NAME(...), or await asyncio.gather(tools.A(...), tools.B(...)).")
NOT_AWAITABLE = re.compile("can't be used in 'await' expression|"
                           "coroutine or an awaitable is required|coroutine was expected")


def network():
    return REQUESTS if hidden else NETWORK


def explanation(error):
    """Returns what to do instead of what has failed, or None."""
    if isinstance(error, SyntaxError) and isinstance(error.text, str):
        if PIP_LINE.match(error.text):
            return NO_PIP.format(STANDARD)
        if TEST_LINE.match(error.text):
            return NO_PYTEST
        if found := NOTEBOOK_LINE.match(error.text):
            return NOTEBOOK[found[1] or found[2] or '?']
        if COMMAND_LINE.match(error.text):
            return NO_SHELL
    if isinstance(error, (SyntaxError, RuntimeError)):
        for text, instead in INSTEAD.items():
            if text in str(error):
                return instead
    if isinstance(error, NameError) and error.name == 'get_ipython':
        return 'There is no IPython: leave the line out.'
    if isinstance(error, NameError) and error.name == 'pytest':
        return NO_PYTEST
    if isinstance(error, NameError) and error.name in ('cd', 'ls', 'pwd', 'pip'):
        return NO_SHELL
    if isinstance(error, (AttributeError, ImportError, OSError, NotImplementedError)) and SECURE.search(str(error)) or (
            isinstance(error, AttributeError) and error.obj in (socket, socket._socket)):
        if isinstance(error, AttributeError):
            error.name = None  # what looks like it is no help
        return network()
    if isinstance(error, (socket.gaierror, socket.herror)) or (
            isinstance(error, OSError) and error.errno == errno.ENETUNREACH):
        return network()
    if isinstance(error, ProcessLookupError):
        return PROCESSES
    if isinstance(error, TypeError) and AWAITABLE in builtins.__dict__ and NOT_AWAITABLE.search(str(error)):
        return AWAITING
    if isinstance(error, sqlite3.OperationalError) and 'database is locked' in str(error):
        return LOCKED
    if isinstance(error, ModuleNotFoundError) and error.name:
        name = error.name
        root = name.partition('.')[0]
        advice = None if root in PACKAGES else MODULES.get(name) or MODULES.get(root)
        if advice:
            advice = network() if advice == NETWORK else advice
            return f'{name.lstrip("_")} is not available. {STANDARD} {advice}'
        return STANDARD
    if isinstance(error, AttributeError) and isinstance(error.obj, types.ModuleType):
        if error.obj.__name__ in ('os', 'posix', 'signal', 'time'):
            return FUNCTIONS.get(error.name)
    if isinstance(error, (OSError, RuntimeError, AttributeError)):
        frame = error.__traceback__
        while frame and frame.tb_next:
            frame = frame.tb_next
        if frame:
            advice = FILES.get(frame.tb_frame.f_code.co_filename.rpartition('/')[2])
            return network() if advice == NETWORK else advice
    return None


def explain(error, seen):
    """Adds explanations to an exception and to those that it came from."""
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        note = explanation(error)
        if note:
            error.add_note(note)
        for inner in getattr(error, 'exceptions', ()):
            explain(inner, seen)
        if error.__cause__ is not None:
            explain(error.__cause__, seen)
        error = error.__context__
