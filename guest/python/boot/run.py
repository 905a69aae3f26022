# A run: the host calls run, which gets the code and reports how it has ended.

main = types.ModuleType('__main__')
main.__builtins__ = builtins
sys.modules['__main__'] = main


def do(code, name, room):
    """Runs code, and tells the host how it has ended."""
    try:
        try:
            value = execute(code, name, main.__dict__)
            if value is not None:
                text = text_of(value)
                shown = text[:room].encode(errors='backslashreplace')
                left_out = len(text[room:].encode(errors='backslashreplace'))
                data = data_of(value, room)
                ask(b'T', left_out.to_bytes(4, 'little') + shown)
                if data is not None:
                    ask(b'V', data.encode())
        finally:
            if atexit._ncallbacks() != exits:
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
            found = report_of(error, name, room)
        except MemoryError:
            found = {'type': 'MemoryError', 'memory': True}
        except BaseException as other:  # of what the exception's own methods do
            found = {'type': name_of(type(error)),
                     'text': f'{name_of(type(error))}: (it cannot be shown: {name_of(type(other))})'}
        ask(b'X', json.dumps(found).encode())


def run():
    global can_read
    seed, room, reads, args, functions, name, code = fetch(b'B').decode().split('\0', 6)
    _random.Random.seed(random._inst, int(seed, 16))
    sys.argv = [name]
    if args:
        sys.argv += json.loads(args)
    if functions:
        install(json.loads(functions), main.__dict__)
    can_read = reads == '1'
    linecache.cache[name] = (len(code), None, Lines(code), name)
    do(code, name, int(room))
    flush()
    ask(b'E')
