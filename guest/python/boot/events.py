# An event loop for asyncio without sockets: it has nothing to wait for but the time.


class Selector:
    def select(self, timeout):
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
        self._selector = Selector()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, func, *args):
        """Calls the function at once, since there are no threads."""
        self._check_closed()
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future


class Policy(asyncio.DefaultEventLoopPolicy):
    _loop_factory = Loop


asyncio.set_event_loop_policy(Policy())
asyncio.SelectorEventLoop = asyncio.DefaultEventLoopPolicy._loop_factory = Loop
