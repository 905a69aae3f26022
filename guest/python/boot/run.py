# A run: the host calls run, which gets the code and reports how it has ended.

main = types.ModuleType('__main__')
main.__builtins__ = builtins
sys.modules['__main__'] = main
main.__file__ = ''
at_first = len(main.__dict__)  # names that code has without any of its own


stays = False  # the run is one of a session
most_shown = 32  # runs of a session whose code tracebacks show
shown_names = []  # of these
placed = None  # folders of libraries in sys.path; None if it has LIBRARIES


def do(code, name, room, execute):
    """Runs code, and tells the host how it has ended. It returns what is over: the run, or a step of it."""
    over = b'E'
    try:
        try:
            value = execute(code, name, main.__dict__)
            if waiting_threads and execute is not imported:
                run_threads()
            if execute is imported:
                over = b'M'
            if value is not None:
                if not stays:
                    note_dropped(value)
                text = shown_text_of(value)
                shown = text[:room].encode(errors='backslashreplace')
                left_out = len(text[room:].encode(errors='backslashreplace'))
                data = data_of(value, room)
                ask(b'T', left_out.to_bytes(4, 'little') + shown)
                if data is not None:
                    ask(b'V', data.encode())
            if over == b'E':
                show_figures()
        except Suspended:
            over = b'P'
        finally:
            if over == b'E' and not stays and atexit._ncallbacks() != exits:
                atexit._run_exitfuncs()
    except SystemExit as end:
        status = end.code
        if status is None:
            status = 0
        elif not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
        ask(b'Q', int(status & 0x7fffffff).to_bytes(4, 'little'))
    except BaseException as error:
        try:
            if execute is imported:
                show(fetch(b'L').decode(), name)
            found = report_of(error, name, room)
        except MemoryError:
            found = {'type': 'MemoryError', 'memory': True}
        except BaseException as other:  # of what the exception's own methods do
            found = {'type': name_of(type(error)),
                     'text': f'{name_of(type(error))}: (it cannot be shown: {name_of(type(other))})'}
        ask(b'X', json.dumps(found).encode())
    return over


def show(code, name):
    """Lets tracebacks have lines of the code."""
    linecache.cache[name] = (len(code), None, Lines(code), name)
    if stays:
        shown_names.append(name)
        if len(shown_names) > most_shown:
            linecache.cache.pop(shown_names.pop(0), None)


def begin(seed, name, how, args, functions, libraries):
    """Prepares the run, before anything of it is done."""
    global can_read
    if 'n' not in how:  # in a session the first run has the seed
        number = int(seed, 16)
        if to_seed and 'm' not in how:  # the image has packages
            seed_again(number)
        else:
            _random.Random.seed(generator, number)
    sys.argv = [name]
    main.__file__ = name if name[0] == '/' else '/' + name
    if args:
        sys.argv += json.loads(args)
    if functions:
        install(json.loads(functions), main.__dict__)
    place(json.loads(libraries) if libraries else None)
    if can_read:
        renew_input()
    can_read = 'i' in how
    if 'm' in how:
        watch()


def place(libraries):
    """Puts folders of libraries where those of the run before are in sys.path, or the usual one."""
    global placed
    if libraries == placed:
        return
    old = [LIBRARIES] if placed is None else placed
    at = min((sys.path.index(path) for path in old if path in sys.path), default=0)
    sys.path[:] = [path for path in sys.path if path not in old]
    sys.path[at:at] = [LIBRARIES] if libraries is None else libraries
    placed = libraries


def run(own=b''):
    """Does the task that the host has, or else one of this program's own: see warm_up."""
    global stays
    seed, room, how, args, functions, libraries, name, code = (fetch(b'B') or own).decode().split('\0', 7)
    stays = 's' in how
    if 'a' in how:
        seed_again(int(seed, 16))
    elif 'r' not in how:
        begin(seed, name, how, args, functions, libraries)
    action = (imported if 'm' in how else checked if 'c' in how else resumed if 'r' in how
              else expression_value if 'e' in how else execute)
    if action is not imported and action is not resumed:
        show(code, name)
    over = do(code, name, int(room), action)
    if over == b'E':
        flush()
        if stays:
            close_files()
    ask(over, b'r' if over == b'M' and watched() else b'')
