# The standard streams and what belongs to them. Lines reach the host when they end. What there is of a line before that
# is where the host can find it, for it may have to stop the code.

sys.stdout.reconfigure(line_buffering=True, write_through=True, errors='backslashreplace')
sys.stderr.reconfigure(line_buffering=True, write_through=True)
console = (sys.stdout, sys.stderr)
for stream in console:
    stream.buffer.write(STREAM_MARK)
ask(b'S', struct.pack('<2I', *(id(stream.buffer) for stream in console)))
can_read = False
own_input = sys.stdin


def input(prompt='', /):
    """Read a string from standard input. The trailing newline is stripped."""
    if not can_read and sys.stdin is own_input:
        raise EOFError('input() has nobody to ask: put the value into the code, or read it from a file')
    sys.stdout.write(str(prompt))
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError('EOF when reading a line')
    return line.removesuffix('\n')


def display(*values):
    """Shows values as a notebook does."""
    for value in values:
        print(shown_text_of(value))


builtins.input = input
builtins.display = display
builtins.exit = _sitebuiltins.Quitter('exit', 'Ctrl-D (i.e. EOF)')
builtins.quit = _sitebuiltins.Quitter('quit', 'Ctrl-D (i.e. EOF)')
builtins.help = _sitebuiltins._Helper()


def renew_input():
    """Forgets what was read of the standard input of an earlier run."""
    global own_input
    new = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), own_input.encoding, own_input.errors)
    if sys.stdin is own_input:
        sys.stdin = new
    own_input = new


def close_files():
    """Closes the files that are open, and databases in files: what is left of them does not work in the next run of a
    session."""
    if ask(b'O') == 0:
        return
    found = gc.get_objects()
    for one in found:
        try:
            if isinstance(one, sqlite3.Connection):
                cursor = sqlite3.Connection.cursor(one)
                cursor.row_factory = None
                if any(row[2] for row in cursor.execute('pragma database_list')):
                    sqlite3.Connection.close(one)
        except Exception:  # it is closed already, or was never opened
            pass
    for kinds in (_io._TextIOBase, _io._BufferedIOBase), _io._RawIOBase:  # what has others under it comes first
        for one in found:
            try:
                if isinstance(one, kinds) and not one.closed and one.fileno() > 2:
                    one.close()
            except Exception:
                pass


def flush():
    """Writes what the streams and the files that are still open hold back."""
    if ask(b'O') > 0:
        for found in gc.get_objects():  # without those that were there before the run
            if isinstance(found, _io._IOBase):
                try:
                    found.flush()
                except Exception:  # of files that can only be read, for one
                    pass
    for stream in (sys.stdout, sys.stderr, *console):
        try:
            stream.flush()
        except Exception:  # it may be closed, or anything
            pass
