# What is shown of an exception: its traceback, without frames of the host.

OWN = '<toolrun>'


def where_of(filename):
    """Returns the name of a file of the standard library as it is here, not where it was built."""
    if filename.startswith(BUILT):
        return LIBRARY + filename[len(BUILT):]
    return filename


BUILT = os.path.dirname(textwrap.dedent.__code__.co_filename) + '/'
LIBRARY = os.path.dirname(os.__file__) + '/'
MOST_FRAMES = 1000  # that are looked at, the last ones
MOST_SHOWN = 40


class Lines:
    """The lines of code, for linecache: it is not split before somebody wants to see it."""

    def __init__(self, code):
        self.code = code
        self.lines = None

    def __len__(self):
        return len(self.all())

    def __getitem__(self, index):
        return self.all()[index]

    def all(self):
        if self.lines is None:
            self.lines = [line + '\n' for line in self.code.split('\n')]
        return self.lines


class Stack(traceback.StackSummary):
    """Shows few frames of many, and does no work for the others."""

    def format(self, **options):
        shown, last, times, frames = [], None, 0, []
        for frame in self:
            place = (frame.filename, frame.lineno, frame.name)
            times = times + 1 if place == last else 1
            last = place
            if times <= 3:
                frames.append(frame)
            elif times == 4:
                frames.append(4)
            else:
                frames[-1] = times
        cut = len(frames) - MOST_SHOWN
        for number, frame in enumerate(frames):
            if cut > 0 and MOST_SHOWN // 2 <= number < MOST_SHOWN // 2 + cut:
                if number == MOST_SHOWN // 2:
                    shown.append(f'  [{cut} more places]\n')
            elif isinstance(frame, int):
                more = frame - 3
                shown.append(f'  [Previous line repeated {more} more time{"s" if more > 1 else ""}]\n')
            else:
                shown.append(self.format_frame_summary(frame))
        return shown


def without_own_frames(shown, seen):
    """Removes the frames of this program from a TracebackException and from those that it contains."""
    if shown is None or id(shown) in seen:
        return
    seen.add(id(shown))
    stack = Stack()
    for frame in shown.stack:
        if frame.filename != OWN:
            frame.filename = where_of(frame.filename)
            stack.append(frame)
    shown.stack = stack
    without_own_frames(shown.__cause__, seen)
    without_own_frames(shown.__context__, seen)
    for inner in shown.exceptions or ():
        without_own_frames(inner, seen)


def name_of(cls):
    module = getattr(cls, '__module__', None)
    if module in ('builtins', '__main__', None):
        return cls.__qualname__
    return f'{module}.{cls.__qualname__}'


def message_of(error):
    try:
        return str(error)
    except Exception:
        return ''


def report_of(error, name, room):
    """Describes an exception for the host. name is the file name of the code."""
    trace = error.__traceback__
    file, line, column = None, 0, 0
    depth, frame = 0, trace
    while frame is not None:
        depth += 1
        if frame.tb_frame.f_code.co_filename == name:
            if file is None:  # what is before has called the code
                depth, trace = 1, frame
            file, line = name, frame.tb_lineno
        frame = frame.tb_next
    # A syntax error in the code itself has no frame of it.
    syntax = isinstance(error, SyntaxError) and file is None
    if syntax:
        file, line, column = error.filename, error.lineno or 0, error.offset or 0
        if error.text is None and file == name and line:
            error.text = linecache.getline(name, line) or None
    try:
        explain(error, set())
    except Exception:
        pass
    shown = traceback.TracebackException(type(error), error, trace, limit=-MOST_FRAMES if depth > MOST_FRAMES else None,
                                         compact=True)
    without_own_frames(shown, set())
    return {
        'type': name_of(type(error)),
        'message': message_of(error)[:room],
        'text': ''.join(shown.format()).rstrip('\n'),
        'file': file, 'line': line, 'column': column, 'syntax': syntax,
        'memory': isinstance(error, MemoryError),
    }
