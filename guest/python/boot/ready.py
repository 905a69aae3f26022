# The end of the start: everything that is there now stays, in every run.

from _used import settle


def warm_up(at_first=dict(vars(main))):
    """Does some runs, of which the host takes no notice. CPython adapts code to what it does the first times: what is
    adapted now need not be written to in each run."""
    for how in '', 's':
        for code in ('print(end="")', '6 * 7', 'x = 1\nx', 'def f(x):\n    return [x, "a"]\n\nf(1)', '1 / 0') * 4:
            run(f'{1 << 63:x}\0{1 << 20}\0{how}\0\0\0\0script.py\0{code}'.encode())
            vars(main).clear()
            vars(main).update(at_first)
    shown_names.clear()


LIBRARIES = '/lib/python'
sys.path[:] = [*(path for path in sys.path if path), LIBRARIES, '/']
os.environ.clear()
os.environ['HOME'] = '/'
exits = atexit._ncallbacks()
warm_up()
sys.argv = ['']
sys.orig_argv = ['python']
ask(b'K', ' '.join(PACKAGES).encode())
linecache.clearcache()
sys.path_importer_cache.pop('/', None)
stack = bytes(STACK_SIZE)  # for the C code of runs
flush()
filling = settle(16 << 10, SPARE_MEMORY)
gc.freeze()
ask(b'R', struct.pack('<6I', id(run), id(type(run)), type(run).__basicsize__, id(bytes), sys.hexversion, id(stack)))
