"""Runs the programs of BigCodeBench in the sandbox and here, and compares: bigcodebench.py TOOLRUN FILE [PATTERN].

FILE is BigCodeBench.jsonl.gz: tasks with a solution and its tests. A program is a task's solution and tests, and passes
if its status is 0. What passes here and not in the sandbox must be listed in bigcodebench.txt (known.py). Programs
whose imports are not in the build, and cannot be added to it, are left out. With PATTERN, only those whose names match
are run, and lines for no program are right.

This Python must have the build's packages, in its versions, and pip.
"""

import ast
import concurrent.futures
import gzip
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile

from known import Known

toolrun, file, *pattern = sys.argv[1:]
# What the programs import, by the names of PyPI. What they import beside these has native code, or no wheel.
added = """beautifulsoup4 chardet django faker flask flask-login flask-mail flask-restful flask-wtf folium geopy
holidays mechanize natsort openpyxl prettytable pyfakefs requests requests-mock rsa seaborn sympy texttable xlwt
xmltodict""".split()
seconds = 60


def programs():
    """Returns names and sources."""
    with gzip.open(file, "rt") as lines:
        tasks = list(map(json.loads, lines))
    return [(task["task_id"], "\n".join([task["code_prompt"] + task["canonical_solution"], task["test"],
                                         "import unittest", "unittest.main()"])) for task in tasks]


def imports(source):
    """Returns the modules that a program needs."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


def run(command, where, source):
    """Runs a program in a folder that has nothing but packages, and returns its status and the end of what it wrote."""
    for path in where.iterdir():
        if path.name not in ("lib", "python.lock"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (where / "program.py").write_text(source)
    try:
        ran = subprocess.run([*command, "program.py"], cwd=where, capture_output=True, text=True, errors="replace",
                             stdin=subprocess.DEVNULL, timeout=2 * seconds, env=os.environ | {"MPLBACKEND": "agg"})
    except subprocess.TimeoutExpired:
        return "no end", ""
    return ran.returncode, " ".join(ran.stderr[-400:].split())


def main(work):
    project = work / "project"
    project.mkdir()
    os.environ["TOOLRUN_DATA"] = str(work / "data")
    os.environ["TMPDIR"] = str(work / "left")  # where programs leave files
    (work / "left").mkdir()
    for name in added:  # one by one, since one command may write 10,000 files
        subprocess.run([toolrun, "py", "add", "--root", project, name], check=True, stdout=subprocess.DEVNULL)
    locked = json.loads((project / "python.lock").read_text())["packages"]
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
                    *(f"{package['name']}=={package['version']}" for package in locked)], check=True)
    sandbox = [toolrun, "py", "--root", ".", "--memory", "512", "--timeout", f"{seconds}s"]

    rooms = queue.SimpleQueue()
    for number in range(os.cpu_count()):
        here, there = work / f"here{number}", work / f"there{number}"
        here.mkdir()
        shutil.copytree(project, there)
        rooms.put((here, there))
    everything = programs()
    has = subprocess.run([*sandbox, "-c", """if True:
        import importlib.util, sys
        print(*(name for name in input().split() if importlib.util.find_spec(name)))"""], cwd=project, text=True,
        input=" ".join(set().union(*(imports(source) for _, source in everything))), capture_output=True, check=True)
    has = set(has.stdout.split())

    def both(program):
        name, source = program
        here, there = room = rooms.get()
        try:
            native = run([sys.executable], here, source)
            return name, native, run(sandbox, there, source) if native[0] == 0 else None
        finally:
            rooms.put(room)

    chosen = [(name, source) for name, source in everything if not pattern or re.search(pattern[0], name)]
    there = [(name, source) for name, source in chosen if imports(source) <= has]
    known = Known("bigcodebench")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, native, inside in pool.map(both, there):
            if inside:
                known.compare(name, inside[0] == 0, *inside)
    print(f"of {len(chosen)} programs, {len(there)} have their imports in the sandbox; of these, {known.share()}")
    return known.status(not pattern)


with tempfile.TemporaryDirectory() as work:
    sys.exit(main(pathlib.Path(work)))
