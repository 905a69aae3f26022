# An event loop for asyncio without sockets: it waits for the time, and for calls of functions of the host.


class Suspended(BaseException):
    """All calls that the code waits for have no answer for now. Only what drives a loop sees it."""


class Selector:
    def __init__(self, loop):
        self.loop = loop

    def select(self, timeout):
        if self.loop.calls:
            ended = []
            while call := next_call(0 if ended else timeout, self.loop is driving):
                ended.append(call)
            return ended
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
driver = None  # the generator, while the code has not ended
kept = None  # the loop of a session, between two runs


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


def driven(main, stays):
    """Does what asyncio.run does. If stays is true, tasks that are left when the coroutine has ended stay for the next one."""
    global kept
    loop, kept = kept, None
    if loop is None or loop.is_closed():
        loop = Loop()
    asyncio.set_event_loop(loop)
    try:
        value = yield from until(loop, loop.create_task(main, context=contextvars.copy_context()))
        if stays:
            while waiting := [future for future in loop.calls.values() if not future.done()]:
                first = asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                yield from until(loop, loop.create_task(first))
            loop.calls.clear()
            kept = loop
        return value
    finally:
        try:
            if kept is not loop:
                yield from closed(loop)
        finally:
            asyncio.set_event_loop(None)


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


asyncio.set_event_loop_policy(Policy())
asyncio.SelectorEventLoop = asyncio.DefaultEventLoopPolicy._loop_factory = Loop


def gethostname():
    """Returns a name, which some packages want to have when they are imported."""
    return 'localhost'


if not hasattr(socket, 'gethostname'):
    socket.gethostname = gethostname
