# Imports of packages in folders of the project.


class Finder(importlib.machinery.FileFinder):
    """Looks for each module by its names, where its base class lists the folder: what a package sees of the files when
    it is imported does not depend on other files in the folder then, and nothing is known that may become wrong."""

    def find_spec(self, fullname, target=None):
        place = os.path.join(self.path, fullname.rpartition('.')[2])
        folder = os.path.isdir(place)
        for inside in (True, False) if folder else (False,):
            for suffix, loader in self._loaders:
                file = os.path.join(place, '__init__' + suffix) if inside else place + suffix
                if os.path.isfile(file):
                    return self._get_spec(loader, fullname, file, [place] if inside else None, target)
        if not folder or place in SYSTEM:
            return None
        spec = importlib.machinery.ModuleSpec(fullname, None)
        spec.submodule_search_locations = [place]
        return spec


SYSTEM = ('/tmp', '/dev')  # folders that are there without being the project's
LOADERS = ((importlib.machinery.SourceFileLoader, ['.py']), (importlib.machinery.SourcelessFileLoader, ['.pyc']))


def find_in(path):
    if path.startswith(LIBRARY) or not os.path.isdir(path):
        raise ImportError('not a folder of packages', path=path)
    return Finder(path, *LOADERS)


sys.path_hooks.insert(len(sys.path_hooks) - 1, find_in)


def imported(modules, name, scope):
    """Imports modules, as statements of the code do at the lines that they have there."""
    parts = []
    for line, last, column, module in json.loads(modules):
        where = dict(lineno=line, col_offset=0, end_lineno=last, end_col_offset=column)
        statement = ast.Import([ast.alias(module, **where)], **where)
        parts.append(compile(ast.Module([statement], []), name, 'exec', dont_inherit=True))
    value = value_of(parts, {'__name__': '__main__', '__builtins__': builtins})
    gc.freeze()  # what they have made stays, and collections of runs need not look at it, nor flush
    return value


# Generators of random numbers without a seed that packages make for themselves while they are imported, as SymPy does.
# Until the imports are done they give the same numbers in each run, so that imports can be kept; then each gets a seed.
own = None  # while modules are imported, the generators by their id


def made(cls, *args, **kwargs):
    if own is None:
        return _random.Random.__new__(cls, *args, **kwargs)
    new = _random.Random.__new__(cls, 0)  # what has no argument asks the host for a seed
    own[id(new)] = new
    return new


@functools.wraps(random.Random.seed)
def seed(self, a=None, version=2, *, plain=random.Random.seed):
    if own is not None and self is not generator:
        if a is None:
            own[id(self)] = self
            a = len(own)
        else:
            own.pop(id(self), None)
    plain(self, a, version)


@functools.wraps(random.Random.setstate)
def setstate(self, state, *, plain=random.Random.setstate):
    if own is not None:
        own.pop(id(self), None)
    plain(self, state)


def makes_first_of_numpy():
    """Reports whether NumPy makes the generator of its module random, which is when that is imported."""
    mtrand = sys.modules.get('numpy.random.mtrand')
    return own is not None and mtrand is not None and not hasattr(mtrand, '_rand')


@functools.wraps(secrets.randbits)
def randbits(k, *, plain=secrets.randbits):
    global numpy_waits
    if makes_first_of_numpy():
        numpy_waits = True
        return 0
    return plain(k)


SEEDED = ('numpy.random.mtrand', 'numpy.random')


class Unseeded(types.ModuleType):
    """The class of NumPy's modules with that generator in an image with NumPy alone, where the generator gets its seed
    when one of them is used: most code uses neither, and a seed takes a fifth of the time of a short run. Other
    packages could have taken the generator from them."""

    def __getattribute__(self, name):
        seed_numpy()
        return getattr(self, name)


def seed_numpy():
    """Gives NumPy's generator its seed, unless it has one or modules are imported."""
    global numpy_waits
    for name in SEEDED:
        sys.modules[name].__class__ = types.ModuleType
    if numpy_waits and own is None:
        numpy_waits = False
        # Without numbers it makes 624 of them from as many bits, slowly.
        sys.modules[SEEDED[0]].seed(memoryview(os.urandom(16)).cast('I').tolist())


secrets.randbits = randbits
numpy_waits = False  # for a seed of that generator
random.Random.__new__ = made
random.Random.seed = seed
random.Random.setstate = setstate
generator = random._inst
to_seed = []


def watch():
    """Begins to note generators that are made."""
    global own, begun_with
    own = {id(one): one for one in to_seed if one is not generator}  # of an image with packages
    begun_with = _random.Random.getstate(generator)


def watched():
    """Ends that. It reports whether the generator of the module random has not been used."""
    global own, begun_with
    unused = _random.Random.getstate(generator) == begun_with
    to_seed[:] = own.values()
    if unused:
        to_seed.append(generator)
    own = begun_with = None
    if numpy_waits and sys.modules.pop('_used.unseeded', None):
        for name in SEEDED:
            sys.modules[name].__class__ = Unseeded
    return unused


def seed_again(number):
    """Gives generators that were made a seed, and that of the module random a number as its seed, unless it was
    used. A parser of dates that has been made has the year of that time, and gets the present one."""
    if parser := sys.modules.get('dateutil.parser._parser'):
        year = datetime.date.today().year
        info = parser.DEFAULTPARSER.info
        info._year, info._century = year, year // 100 * 100
    if numpy_waits and type(sys.modules[SEEDED[0]]) is not Unseeded:
        seed_numpy()
    for one in to_seed:
        seed(one, number if one is generator else None)
    to_seed.clear()
