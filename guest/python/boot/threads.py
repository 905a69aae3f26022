# Threads, which run in turn: one begins when something waits for it, or at the end of the code, and goes on to its end.

waiting_threads = []  # that were started, and have not begun
NEVER = ('this waits for something that can never happen: threads run one after the other here, and no other one is '
         'left that could do it')


def start_thread(self):
    """Start the thread's activity, as soon as something waits for it."""
    if not self._initialized:
        raise RuntimeError('thread.__init__() not called')
    if self._started.is_set():
        raise RuntimeError('threads can only be started once')
    self._started.set()
    waiting_threads.append(self)


def run_thread(thread):
    """Runs a thread that has not begun. What waits in the code that asks for it waits for all that this does."""
    waiting_threads.remove(thread)
    outer = threading.current_thread()
    thread._set_ident()
    threading._active[thread._ident] = thread
    try:
        thread.run()
    except Left:
        pass
    except BaseException:
        thread._invoke_excepthook(thread)
    finally:
        threading._active[thread._ident] = outer
        thread._is_stopped = True


def run_threads():
    """Runs the threads that the end of the code waits for."""
    while left := [thread for thread in waiting_threads if not thread.daemon]:
        run_thread(left[0])


def thread_is_alive(self):
    """Return whether the thread is alive. It runs first, if it has not begun."""
    if self in waiting_threads:
        run_thread(self)
    return self._started.is_set() and not self._is_stopped


def join_thread(self, timeout=None):
    """Wait until the thread terminates."""
    if not self._initialized:
        raise RuntimeError('Thread.__init__() not called')
    if not self._started.is_set():
        raise RuntimeError('cannot join thread before it is started')
    if self is threading.current_thread():
        raise RuntimeError('cannot join current thread')
    if thread_is_alive(self) and timeout is None:
        raise RuntimeError(NEVER)


def wait_for_condition(self, timeout=None):
    """Wait until notified or until a timeout occurs. Threads that have not begun run meanwhile."""
    if not self._is_owned():
        raise RuntimeError('cannot wait on un-acquired lock')
    waiter = threading._allocate_lock()
    waiter.acquire()
    self._waiters.append(waiter)
    saved = self._release_save()
    try:
        while waiter.locked() and waiting_threads and (timeout is None or timeout > 0):
            run_thread(waiting_threads[0])
        if waiter.locked():
            if timeout is None:
                raise Left if threading.current_thread().daemon else RuntimeError(NEVER)
            time.sleep(max(timeout, 0))
    finally:
        self._acquire_restore(saved)
        if waiter.locked():
            self._waiters.remove(waiter)
    return not waiter.locked()


def show_thread_error(args, /):
    """Shows an exception that a thread has not caught."""
    if args.exc_type is SystemExit:
        return
    explain(args.exc_value, set())
    shown = traceback.TracebackException(args.exc_type, args.exc_value, args.exc_traceback)
    without_own_frames(shown, set())
    print(f'Exception in thread {args.thread.name}:\n{"".join(shown.format())}', end='', file=sys.stderr)


threading.excepthook = threading.__excepthook__ = show_thread_error
threading.Thread.start = start_thread
threading.Thread.is_alive = thread_is_alive
threading.Thread.join = join_thread
threading.Condition.wait = wait_for_condition


class ThreadPoolExecutor(concurrent.futures.Executor):
    """Calls each function when it is submitted, since there are no threads."""

    def __init__(self, max_workers=None, thread_name_prefix='', initializer=None, initargs=()):
        if max_workers is not None and max_workers <= 0:
            raise ValueError('max_workers must be greater than 0')
        if initializer is not None and not callable(initializer):
            raise TypeError('initializer must be a callable')
        self._max_workers = max_workers or 5
        self._initialize = initializer and functools.partial(initializer, *initargs)
        self._shutdown = False

    def submit(self, fn, /, *args, **kwargs):
        """Calls a function, and returns a Future of its result."""
        if self._shutdown:
            raise RuntimeError('cannot schedule new futures after shutdown')
        if self._initialize:
            initialize, self._initialize = self._initialize, None
            initialize()
        future = concurrent.futures.Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        """Refuses functions from now on."""
        self._shutdown = True


class BrokenThreadPool(concurrent.futures.BrokenExecutor):
    """Raised when a worker thread in a ThreadPoolExecutor failed initializing."""


pools = types.ModuleType('concurrent.futures.thread', ThreadPoolExecutor.__doc__)
for one in (ThreadPoolExecutor, BrokenThreadPool):
    one.__module__ = pools.__name__
    setattr(pools, one.__name__, one)
sys.modules[pools.__name__] = concurrent.futures.thread = pools
concurrent.futures.ThreadPoolExecutor = ThreadPoolExecutor
