"""Compares NumPy's or pandas' own tests in the sandbox with the same tests here: compare.py NAME TOOLRUN [PATTERN].

This Python must have the package, in the version of the build that TOOLRUN_PYTHON names, pytest and hypothesis.
What passes here and not in the sandbox must be listed in NAME.txt (known.py). With PATTERN, only files whose names
match are run, and lines for no test are right. Parameters of tests can have other names in the sandbox, where C's long
has 32 bits: then the others of the test must not fail.
"""

import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile

from known import Known

name, toolrun, *pattern = sys.argv[1:]
here = pathlib.Path(__file__).parent
installed = pathlib.Path(sysconfig.get_path("purelib"))
limits = "--memory", "1024", "--timeout", "40m"
# Compilers, drawing and the choice of a processor's instructions are not what runs in the sandbox.
left_out = {"numpy": r"/(f2py|distutils|_pyinstaller)/|/test_(simd|simd_module|cpu_features|cpu_dispatcher)\.py",
            "pandas": r"/(plotting|pytables|sas|style)/"}[name]
whole_run = "the whole run"


def read(path):
    """Returns how each test ended, and why."""
    ends = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        test, end, why = json.loads(line)
        test = test[test.find(f"{name}/"):] if test else whole_run
        if end == "failed" or test not in ends:
            ends[test] = end, why
    return ends


def others(ends, test):
    """Returns how tests ended that differ from this one by their parameters alone."""
    same = [end for name, end in ends.items() if "[" in name and name.partition("[")[0] == test.partition("[")[0]]
    bad = [end for end in same if end[0] == "failed"]
    return (bad or same or [("not reached", ends[""][1])])[0]


def main(work):
    project = pathlib.Path(work, "project")
    tests = project / "tests"
    for folder in sorted(installed.glob(f"{name}/**/tests")):
        if folder.parts.count("tests") == 1 and not re.search(left_out, f"{folder}/"):
            shutil.copytree(folder, tests / folder.relative_to(installed), ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(installed / name / "conftest.py", tests / name)
    shutil.copy(here / "own.py", project)
    (project / "out").mkdir()
    environment = os.environ | {"TOOLRUN_DATA": f"{work}/data"}
    subprocess.run([toolrun, "py", "add", "--root", project, "pytest", "hypothesis"], env=environment, check=True,
                   stdout=subprocess.DEVNULL)

    def run(files, where, python, root):
        out = f"out/{where}-{str(files[0].relative_to(tests)).replace('/', '-')}"
        command = *python, "own.py", root / "tests", root / out, *(root / f.relative_to(project) for f in files)
        ran = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, errors="replace")
        return read(project / out) | {"": ("", ran.stdout[-300:] + ran.stderr[-300:])}

    def both(files):
        native = run(files, "here", [sys.executable], project)
        sandbox = run(files, "sandbox", [toolrun, "py", "--root", project, *limits], pathlib.Path("/"))
        if len(files) > 1 and whole_run not in native.keys() & sandbox.keys():
            # A file ended the run of all.
            return [pair for file in files for pair in both([file])]
        return [(native, sandbox)]

    files = [f for f in sorted(tests.glob("**/test_*.py"))
             if not re.search(left_out, str(f)) and (not pattern or re.search(pattern[0], str(f)))]
    # To start and to import costs as much as a thousand tests. Files below different folders named tests are in
    # packages of one name, and cannot be loaded together.
    groups = []
    for _, together in itertools.groupby(files, lambda f: str(f.relative_to(tests)).partition("/tests/")[0]):
        groups.append([])
        for file in together:
            if sum(f.stat().st_size for f in groups[-1]) > 100_000:
                groups.append([])
            groups[-1].append(file)
    lacking = 0
    known = Known(name)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for native, sandbox in itertools.chain.from_iterable(pool.map(both, groups)):
            for test, (end, _) in native.items():
                if end != "passed":
                    continue
                there = sandbox.get(test) or others(sandbox, test)
                if there[0] == "lacks a module":
                    lacking += 1
                    continue
                known.compare(test, there[0] == "passed", *there)
    print(f"{name}: of the tests of {len(files)} files, {known.share()}; {lacking} more need modules that only tests "
          "have")
    return known.status(not pattern)


with tempfile.TemporaryDirectory() as work:
    sys.exit(main(work))
