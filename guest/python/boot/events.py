# An event loop for asyncio without sockets: it waits for the time, and for calls of functions of the host.


class Suspended(BaseException):
    """All calls that the code waits for have no answer for now. Only what drives a loop sees it."""


class Left(BaseException):
    """The code has ended, and none of the tasks that it has left can go on, such as workers that nobody has stopped."""


class Selector:
    def __init__(self, loop):
        self.loop = loop

    def select(self, timeout):
        if self.loop.calls:
            ended = []
            while call := next_call(0 if ended else timeout, self.loop is driving):
                ended.append(call)
            return ended
        if timeout is None and self.loop.ending:
            raise Left
        if timeout is None:
            raise RuntimeError('the event loop waits for something that can never happen: '
                               'no task can go on, and no timer is set')
        if timeout > 0:
            time.sleep(timeout)
        return ()

    def close(self):
        pass


class Loop(asyncio.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = Selector(self)
        self.ending = False
        self.calls = {}  # by their number, of which nobody knows the end yet

    def _process_events(self, events):
        for number, answer in events:
            future = self.calls.pop(number, None)  # None if another loop, which has ended, made the call
            if future and not future.done():
                future.set_result(answer)

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, func, *args):
        """Calls the function at once, since there are no threads; those of the host take their time."""
        self._check_closed()
        call = func if isinstance(func, functools.partial) else functools.partial(func, *args)
        called, *values = call.func, *call.args
        if values and isinstance(getattr(called, '__self__', None), contextvars.Context):  # asyncio.to_thread
            called, *values = values
        if type(called) is Function:
            return self.create_task(called.start(*values, **call.keywords))
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future


# A loop that is driven from here has no frame of the code under it. So it can be left while it waits, and gone on with
# in another process, in which the memory is the same. What drives it is a generator, whose frame is in that memory.

driving = None  # the loop, while it runs
idle_used = False  # code has had the loop that does not run
top = None  # the task of the code itself, if it awaits
driver = None  # the generator, while the code has not ended
kept = None  # the loop of a session between two runs, or of tasks that code has made while none runs


def until(loop, future):
    """Runs a loop until a future is done, and returns its result. It yields when the loop is left."""
    global driving
    while True:
        driving = loop
        try:
            return loop.run_until_complete(future)
        except Suspended:
            pass
        finally:
            driving = None
        yield


def driven(main, stays, value=None):
    """Does what asyncio.run does, but for the tasks that are left when the coroutine has ended: they go on as far as
    they can, or, if stays is true, stay for the next one. Without a coroutine, the code has awaited nothing and has the
    value; its tasks go on."""
    global kept, top
    loop, kept = idle_loop(), None
    asyncio.set_event_loop(loop)
    try:
        if main is not None:
            top = loop.create_task(main, context=contextvars.copy_context())
            value = yield from until(loop, top)
        if main is None or not stays:
            yield from rested(loop)
        if stays:
            while waiting := [future for future in loop.calls.values() if not future.done()]:
                first = asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                yield from until(loop, loop.create_task(first))
            loop.calls.clear()
            kept = loop
        return value
    finally:
        top = None
        try:
            if kept is not loop:
                yield from closed(loop)
        finally:
            asyncio.set_event_loop(None)


def idle_loop():
    """Returns the loop of tasks that code makes while none runs: a notebook has one that runs all the time. It runs
    once the code awaits, or has ended."""
    global kept
    if kept is None or kept.is_closed():
        kept = Loop()
    return kept


def has_tasks():
    """Reports whether code that has not awaited anything has made tasks, and left them. It begins to watch for them
    anew."""
    global idle_used
    was, idle_used = idle_used, False
    return was and kept is not None and not kept.is_closed() and bool(asyncio.all_tasks(kept))


def others():
    return asyncio.all_tasks() - {asyncio.current_task()}


async def rest():
    """Waits for the tasks that are left, but not for those that only sleep, for nobody."""
    for task in others():
        if task.get_coro().__qualname__ == 'sleep' and not task._callbacks:
            task.cancel()
    while left := others():
        await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)


def rested(loop):
    """Lets the tasks of a loop go on as far as they can."""
    waits = loop.create_task(rest())
    loop.ending = True
    try:
        yield from until(loop, waits)
    except Left:
        waits.cancel()
        yield from until(loop, asyncio.gather(waits, return_exceptions=True))
    finally:
        loop.ending = False


def closed(loop):
    """Cancels the tasks of a loop, and closes it."""
    try:
        if tasks := asyncio.all_tasks(loop):
            for task in tasks:
                task.cancel()
            yield from until(loop, asyncio.gather(*tasks, return_exceptions=True))
            for task in tasks:
                if not task.cancelled() and task.exception() is not None:
                    loop.call_exception_handler({
                        'message': 'unhandled exception during asyncio.run() shutdown',
                        'exception': task.exception(),
                        'task': task,
                    })
        yield from until(loop, loop.create_task(loop.shutdown_asyncgens()))
        if loop._default_executor is not None:
            yield from until(loop, loop.create_task(loop.shutdown_default_executor()))
    finally:
        loop.close()


def advance():
    """Goes on with the driver, and returns the value of the code. It raises Suspended if the loop is left."""
    global driver
    try:
        next(driver)
    except StopIteration as end:
        driver = None
        return end.value
    except BaseException:
        driver = None
        raise
    raise Suspended


class Policy(asyncio.DefaultEventLoopPolicy):
    _loop_factory = Loop

    def get_event_loop(self):
        global idle_used
        idle_used = True
        if self._local._loop is None or self._local._loop.is_closed():
            self.set_event_loop(idle_loop())
        return self._local._loop


@functools.wraps(asyncio.create_task)
def create_task(coro, **options):
    return asyncio.get_event_loop().create_task(coro, **options)


@functools.wraps(asyncio.run)
def run_apart(main, *, plain=asyncio.run, **options):
    outer = asyncio._get_running_loop()
    if outer is None or outer is not driving or asyncio.current_task(outer) is not top:
        return plain(main, **options)
    asyncio._set_running_loop(None)  # code that awaits at its top level has a loop, without knowing
    try:
        return plain(main, **options)
    finally:
        asyncio._set_running_loop(outer)
        asyncio.set_event_loop(outer)


asyncio.create_task = asyncio.tasks.create_task = create_task
asyncio.run = asyncio.runners.run = run_apart


asyncio.set_event_loop_policy(Policy())
asyncio.SelectorEventLoop = asyncio.DefaultEventLoopPolicy._loop_factory = Loop


def duplicate(fd, to):
    try:
        number = ask(b'D', struct.pack('<2i', fd, to))
    except struct.error:
        number = 1000 + errno.EBADF
    if number >= 1000:
        raise OSError(number - 1000, os.strerror(number - 1000))
    return number


def dup(fd, /):
    """Return a duplicate of a file descriptor."""
    return duplicate(fd, -1)


def dup2(fd, fd2, inheritable=True):
    """Duplicate file descriptor."""
    return duplicate(fd if fd2 >= 0 else -1, fd2)


if hasattr(library, 'Memory'):  # the build from npm gives files numbers of its own
    os.dup, os.dup2 = dup, dup2


def umask(mask, /, *, kept=[0o022]):
    """Set the current numeric umask and return the previous umask."""
    kept.append(mask)  # files have no modes
    return kept.pop(0)


if not hasattr(os, 'umask'):
    os.umask = umask


def getuid():
    """Returns whose files are, as process.getuid does in JavaScript: some packages ask when they are imported."""
    return 0


def kill(pid, signal, /):
    """Finds no process but this one, which nothing can signal."""
    raise ProcessLookupError(errno.ESRCH, 'No such process')


if not hasattr(os, 'kill'):
    os.kill = kill
for name in 'getuid', 'getgid':  # not geteuid: tarfile would change owners
    if not hasattr(os, name):
        setattr(os, name, getuid)
