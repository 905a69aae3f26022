# The standard streams and what belongs to them. Lines reach the host when they end.

sys.stdout.reconfigure(line_buffering=True, errors='backslashreplace')
sys.stderr.reconfigure(line_buffering=True)
console = (sys.stdout, sys.stderr)
can_read = False


def input(prompt='', /):
    """Read a string from standard input. The trailing newline is stripped."""
    if not can_read:
        raise EOFError('input() has nobody to ask: put the value into the code, or read it from a file')
    sys.stdout.write(str(prompt))
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError('EOF when reading a line')
    return line.removesuffix('\n')


builtins.input = input
builtins.exit = _sitebuiltins.Quitter('exit', 'Ctrl-D (i.e. EOF)')
builtins.quit = _sitebuiltins.Quitter('quit', 'Ctrl-D (i.e. EOF)')
builtins.help = _sitebuiltins._Helper()


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
