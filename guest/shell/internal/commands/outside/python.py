def _toolrun_program(task):
    import base64, io, json, os, runpy, sys, traceback, types
    task = json.loads(base64.b64decode(task))
    real, key = sys.stdout, task["key"]

    class Stream(io.RawIOBase):
        def __init__(self, kind):
            self.kind = kind

        def writable(self):
            return True

        def write(self, data):
            real.write(key + self.kind + base64.b64encode(bytes(data)).decode() + "\n")
            return len(data)

    def text(kind, size):
        return io.TextIOWrapper(io.BufferedWriter(Stream(kind), size), encoding="utf-8", errors="surrogateescape",
            line_buffering=kind == "e")

    sys.stdin = io.TextIOWrapper(io.BytesIO(base64.b64decode(task["stdin"] or "")), encoding="utf-8",
        errors="surrogateescape")
    sys.stdout, sys.stderr = text("o", 1 << 16), text("e", 1 << 10)
    sys.argv = task["args"]
    sys.path.insert(0, os.path.dirname(os.path.join(task["dir"], task["file"])) if task["file"] else task["dir"])
    os.environ.update(entry.split("=", 1) for entry in task["env"])
    status = 0
    try:
        os.chdir(task["dir"])
        if task["module"]:
            runpy.run_module(task["module"], run_name="__main__", alter_sys=True)
        else:
            main = types.ModuleType("__main__")
            sys.modules["__main__"] = main
            name = task["file"] or "<string>"
            if task["file"]:
                main.__file__ = os.path.join(task["dir"], name)
            exec(compile(task["code"], name, "exec", dont_inherit=True), main.__dict__)
    except SystemExit as e:
        if isinstance(e.code, int):
            status = e.code
        elif e.code is not None:
            print(e.code, file=sys.stderr)
            status = 1
    except BaseException as e:
        status = 1
        trace = e.__traceback__.tb_next
        while trace is not None and "runpy" in trace.tb_frame.f_code.co_filename:
            trace = trace.tb_next
        sys.stdout.flush()
        traceback.print_exception(type(e), e, trace)
    finally:
        for stream in sys.stdout, sys.stderr:
            try:
                stream.flush()
            except Exception:
                pass
        print(key + "x" + str(status), file=real)


