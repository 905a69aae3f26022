"""Runs programs that others wrote in the sandbox and here, and compares: programs.py WHAT TOOLRUN FROM [PATTERN].

WHAT is one of these, and FROM where it is:

bigcodebench  BigCodeBench.jsonl.gz, tasks with a solution and its tests
ds1000        ds1000.jsonl.gz of DS-1000, the same for questions about NumPy, pandas, Matplotlib and others
notebooks     a folder with checkouts of repositories that have notebooks, and their data

A program is a task's solution and its tests, and passes if its status is 0. A notebook's cells are compared one by one
(notebook.py), if they end the same in two runs here. What passes here and not in the sandbox must be listed in
WHAT.txt (known.py). Programs whose imports are not in the build, and cannot be added to it, are left out. With PATTERN,
only those whose names match are run, and lines for no program are right.

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
import typing

from known import Known

what, toolrun, file, *pattern = sys.argv[1:]
# What the programs import, by the names of PyPI. What they import beside these has native code, or no wheel.
added = {"bigcodebench": """beautifulsoup4 chardet django faker flask flask-login flask-mail flask-restful flask-wtf
         folium geopy holidays mechanize natsort openpyxl prettytable pyfakefs requests requests-mock rsa seaborn sympy
         texttable xlwt xmltodict"""}.get(what, "seaborn").split()
seconds = 60
memory = "1024" if what == "notebooks" else "512"  # MiB
notebook = pathlib.Path(__file__).with_name("notebook.py").read_text()


def tasks():
    with gzip.open(file, "rt") as lines:
        return list(map(json.loads, lines))


class Program(typing.NamedTuple):
    name: str
    source: str
    folder: pathlib.Path = None  # what it finds where it runs
    repository: pathlib.Path = None  # what it finds in a folder of that name


def bigcodebench():
    return [Program(task["task_id"], "\n".join([task["code_prompt"] + task["canonical_solution"], task["test"],
                                                "import unittest", "unittest.main()"])) for task in tasks()]


def ds1000():
    found = []
    for task in tasks():
        checks = [f"{test}({task['reference_code']!r})" for test in ("test_execution", "test_string")
                  if f"def {test}(" in task["code_context"]]
        about = task["metadata"]
        found.append(Program(f"{about['library']}/{about['library_problem_id']}",
                             "\n".join([task["code_context"], *checks])))
    return found


def notebooks():
    found = []
    for path in sorted(pathlib.Path(file).glob("**/*.ipynb")):
        repository = pathlib.Path(file, path.relative_to(file).parts[0])
        cells = ["".join(cell["source"]) for cell in json.loads(path.read_text()).get("cells", ())
                 if cell["cell_type"] == "code"]
        cells = [re.sub(r"(?m)^\s*[%!].*", "", cell) for cell in cells]  # commands of notebooks
        own = rf"https://raw\.githubusercontent\.com/[^/]+/{repository.name}/\w+/"
        cells = [re.sub(own, f"{repository.name}/", cell) for cell in cells]
        if any("import" in cell for cell in cells):  # others are for the reader to fill in
            found.append(Program(str(path.relative_to(file)), f"cells = {cells!r}\n" + notebook, path.parent,
                                 repository))
    return found


def imports(source):
    """Returns the modules that a program needs."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


def run(command, where, program):
    """Runs a program in a folder that has nothing but packages and its own files.

    It returns what its parts ended with, where None is a failure, its status, and the end of what it wrote.
    """
    for path in where.iterdir():
        if path.name not in ("lib", "python.lock"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    if program.folder:
        for source, to in (program.folder, where), (program.repository, where / program.repository.name):
            shutil.copytree(source, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git", "*.ipynb", "*.png"))
    (where / "program.py").write_text(program.source)
    try:
        ran = subprocess.run([*command, "program.py"], cwd=where, capture_output=True, text=True, errors="replace",
                             stdin=subprocess.DEVNULL, timeout=2 * seconds, env=os.environ | {"MPLBACKEND": "agg"})
    except subprocess.TimeoutExpired:
        return [None], "no end", ""
    ends = where / "ends.json"
    return (json.loads(ends.read_text()) if ends.exists() else [None if ran.returncode else "passed"],
            ran.returncode, " ".join(ran.stderr[-400:].split()))


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
    sandbox = [toolrun, "py", "--root", ".", "--memory", memory, "--timeout", f"{seconds}s"]

    rooms = queue.SimpleQueue()
    for number in range(os.cpu_count()):
        here, there = work / f"here{number}", work / f"there{number}"
        here.mkdir()
        shutil.copytree(project, there)
        rooms.put((here, there))
    everything = {"bigcodebench": bigcodebench, "ds1000": ds1000, "notebooks": notebooks}[what]()
    has = subprocess.run([*sandbox, "-c", """if True:
        import importlib.util, sys
        print(*(name for name in input().split() if importlib.util.find_spec(name)))"""], cwd=project, text=True,
        input=" ".join(set().union(*(imports(program.source) for program in everything))), capture_output=True,
        check=True)
    has = set(has.stdout.split())

    def both(program):
        here, there = room = rooms.get()
        try:
            natives = [run([sys.executable], here, program) for _ in range(2 if what == "notebooks" else 1)]
            return natives, run(sandbox, there, program) if natives[0][0] != [None] else ([], 0, "")
        finally:
            rooms.put(room)

    chosen = [program for program in everything if not pattern or re.search(pattern[0], program.name)]
    there = [program for program in chosen if imports(program.source) <= has]
    known = Known(what)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for program, (natives, inside) in zip(there, pool.map(both, there)):
            ends, status, wrote = inside
            for part, (end, again) in enumerate(zip(natives[0][0], natives[-1][0])):
                if end is None or end != again:
                    continue
                got = ends[part] if part < len(ends) else None
                if program.folder:
                    known.compare(f"{program.name} {part}", end == got, status, f"{got!r:.300} is not {end!r:.300}")
                else:
                    known.compare(program.name, end == got, status, wrote)
    print(f"of {len(chosen)} programs, {len(there)} have their imports in the sandbox; of these, {known.share()}")
    return known.status(not pattern)


with tempfile.TemporaryDirectory() as work:
    sys.exit(main(pathlib.Path(work)))
