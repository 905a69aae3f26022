"""Runs files of NumPy's or pandas' own tests: own.py FOLDER OUT FILE...

FOLDER has the tests, at the places where they are in the packages. OUT gets a line of JSON for each test: its name, how
it ended, and if it did not pass, why. It runs the same in the sandbox, where the packages have no tests with them, and
natively.
"""

import importlib
import json
import sys
import types

import numpy
import pytest

folder, out, *files = sys.argv[1:]


class Missing(types.ModuleType):
    """A module that only NumPy's tests use, and that the build does not have. A test that uses it is skipped."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "get_fpu_mode":  # asked after each test
            return lambda: 0
        if name == "rational":  # used as a type when tests are collected
            return type(name, (), {"__init__": lambda self, *values: None})

        def needed(*arguments, **more):
            pytest.skip(f"needs {self.__name__}")

        return needed


for name in "multiarray", "umath", "rational", "operand_flag", "struct_ufunc":
    name = f"numpy._core._{name}_tests"
    try:
        importlib.import_module(name)
    except ImportError:
        sys.modules[name] = Missing(name)
        setattr(numpy._core, name.rpartition(".")[2], sys.modules[name])

# The tests are found where the packages look for their modules.
parts = "_core fft lib linalg ma matrixlib polynomial random testing typing".split()
for name in ["pandas"] if "/pandas/" in files[0] else ["numpy", *(f"numpy.{part}" for part in parts)]:
    importlib.import_module(name).__path__.append(f"{folder}/{name.replace('.', '/')}")


class Report:
    def __init__(self, to):
        self.to = to

    def write(self, *what):
        print(json.dumps(what), file=self.to, flush=True)

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(report.nodeid, "failed", report.longreprtext[-1000:])

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or not report.passed:
            lacks = report.skipped and "needs numpy._core._" in str(report.longrepr)
            self.write(report.nodeid, "lacks a module" if lacks else report.outcome,
                       "" if report.passed else str(report.longrepr)[-1000:])


with open(out, "w") as to:
    report = Report(to)
    status = pytest.main(["-qq", "-p", "no:cacheprovider", "--tb=short", "--continue-on-collection-errors",
                          "--rootdir", folder, *files], plugins=[report])
    report.write("", f"ended with {int(status)}", "")
