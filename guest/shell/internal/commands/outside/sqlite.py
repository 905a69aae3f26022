import csv, json, re, shlex, sqlite3, sys


class Shell:
    def __init__(self, task):
        self.mode, self.headers = task["mode"], task["headers"]
        self.separator, self.null = task["separator"], task["null"]
        self.bail, self.failed = task["bail"], False
        self.db = sqlite3.connect(task["file"], isolation_level=None)

    def fail(self, text):
        print(text, file=sys.stderr)
        self.failed = True

    def text(self, value):
        if value is None:
            return self.null
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        if isinstance(value, float):
            return self.db.execute("select cast(? as text)", (value,)).fetchone()[0]
        return str(value)

    def literal(self, value):
        return self.db.execute("select quote(?)", (value,)).fetchone()[0]

    def show(self, names, rows):
        mode, out = self.mode, sys.stdout
        if mode == "json":
            if rows:
                lines = (json.dumps(dict(zip(names, r)), ensure_ascii=False, separators=(",", ":"),
                    default=lambda b: b.decode("utf-8", "replace")) for r in rows)
                print("[" + ",\n".join(lines) + "]")
        elif mode == "csv" or mode == "tabs":
            between, end = (",", "\r\n") if mode == "csv" else ("\t", "\n")
            odd = re.compile(r"[^!#-&(-+\--~]|^$" if mode == "csv" else "(?!)")
            quote = lambda s: '"' + s.replace('"', '""') + '"' if odd.search(s) else s
            cells = ([s if v is None else quote(s) for v in r for s in (self.text(v),)] for r in rows)
            if self.headers and rows:
                print(between.join(map(quote, names)), end=end)
            for r in cells:
                print(between.join(r), end=end)
        elif mode == "line":
            width = max(map(len, names), default=0)
            print("\n\n".join("\n".join(f"{n:>{width}} = {self.text(v)}" for n, v in zip(names, r)) for r in rows))
        elif mode == "insert":
            for r in rows:
                print("INSERT INTO \"table\" VALUES(" + ",".join(map(self.literal, r)) + ");")
        elif mode == "quote":
            for r in rows:
                print(",".join(map(self.literal, r)))
        elif mode in ("column", "table", "box", "markdown"):
            if not rows:
                return
            cells = [[self.text(v) for v in r] for r in rows]
            widths = [max(len(n), *(len(r[i]) for r in cells)) for i, n in enumerate(names)]
            if mode == "column":
                line = lambda r: "  ".join(v.ljust(w) for v, w in zip(r, widths))
                if self.headers is not False:
                    print(line(names))
                    print("  ".join("-" * w for w in widths))
                for r in cells:
                    print(line(r))
                return
            bar = "│" if mode == "box" else "|"
            line = lambda r, at=str.ljust: f"{bar} " + f" {bar} ".join(at(v, w) for v, w in zip(r, widths)) + f" {bar}"
            rule = lambda a, b, c, dash: print(a + b.join(dash * (w + 2) for w in widths) + c)
            if mode == "box":
                rule("┌", "┬", "┐", "─")
            elif mode == "table":
                rule("+", "+", "+", "-")
            print(line(names, str.center))
            rule(*{"box": "├┼┤─", "table": "+++-", "markdown": "|||-"}[mode])
            for r in cells:
                print(line(r))
            if mode == "box":
                rule("└", "┴", "┘", "─")
            elif mode == "table":
                rule("+", "+", "+", "-")
        else:
            if self.headers and rows:
                print(self.separator.join(names))
            for r in rows:
                print(self.separator.join(map(self.text, r)))

    def sql(self, statement, where):
        try:
            cursor = self.db.execute(statement)
            if cursor.description:
                self.show([d[0] for d in cursor.description], cursor.fetchall())
        except sqlite3.Error as e:
            self.fail(where + str(e))

    def dot(self, line):
        name, *args = shlex.split(line[1:])
        on = bool(args) and args[0] in ("on", "yes", "1")
        if name in ("quit", "exit"):
            return False
        elif name == "mode" and args:
            self.mode = args[0]
        elif name in ("header", "headers"):
            self.headers = on
        elif name == "separator" and args:
            self.separator = args[0].encode().decode("unicode_escape")
        elif name == "nullvalue" and args:
            self.null = args[0]
        elif name == "bail":
            self.bail = on
        elif name == "print":
            print(*args)
        elif name == "tables":
            rows = self.db.execute("select name from sqlite_schema where type in ('table','view') and name not like "
                "'sqlite_%' and name like ? order by 1", (args[0] if args else "%",)).fetchall()
            names = [r[0] for r in rows]
            if names:
                width = max(map(len, names))
                columns = max(1, 80 // (width + 2))
                height = -(-len(names) // columns)
                for i in range(height):
                    print("  ".join(n.ljust(width) for n in names[i::height]))
        elif name in ("schema", "indexes", "indices"):
            kind = "type = 'index' and tbl_name like ?" if name != "schema" else "tbl_name like ? and sql not null"
            what = "sql || ';'" if name == "schema" else "name"
            for (text,) in self.db.execute(f"select {what} from sqlite_schema where {kind} order by rowid",
                (args[0] if args else "%",)):
                print(text)
        elif name == "dump":
            print("PRAGMA foreign_keys=OFF;")
            for text in self.db.iterdump():
                print(text)
        elif name == "read" and args:
            with sys.stdin if args[0] == "/dev/stdin" else open(args[0]) as f:
                return self.run(f.read())
        elif name == "import":
            args = [a for a in args if a != "--csv"] if "--csv" in args else args
            skip = int(args[args.index("--skip") + 1]) if "--skip" in args else 0
            file, table = args[-2:]
            delimiter = "," if self.mode == "csv" or "--csv" in line else self.separator
            with open(file, newline="") as f:
                rows = list(csv.reader(f, delimiter=delimiter))[skip:]
            quoted = '"' + table.replace('"', '""') + '"'
            if not self.db.execute("select 1 from sqlite_schema where name = ?", (table,)).fetchone() and rows:
                names = ", ".join('"' + n.replace('"', '""') + '" TEXT' for n in rows.pop(0))
                self.db.execute(f"create table {quoted} ({names})")
            self.db.execute("begin")
            for r in rows:
                self.db.execute(f"insert into {quoted} values ({','.join('?' * len(r))})", r)
            self.db.execute("commit")
        else:
            self.fail(f'Error: unknown command or invalid arguments:  "{name}". Enter ".help" for help')
        return True

    def run(self, text, where="Error: "):
        pending, number = "", 0
        for number, line in enumerate(text.split("\n"), 1):
            if not pending.strip() and line.startswith("."):
                try:
                    if self.dot(line) is False:
                        return False
                except (sqlite3.Error, OSError, ValueError, IndexError) as e:
                    self.fail(f"Error: {e}")
            else:
                pending += line + "\n"
                start = 0
                while True:  # statements of the line
                    end = pending.find(";", start)
                    if end < 0:
                        break
                    if sqlite3.complete_statement(pending[:end + 1]):
                        self.sql(pending[:end + 1].strip(), where.format(number=number))
                        pending, start = pending[end + 1:], 0
                        if self.failed and self.bail:
                            return False
                    else:
                        start = end + 1
            if self.failed and self.bail:
                return False
        if pending.strip():
            self.sql(pending.strip(), where.format(number=number))
        return True


task = json.loads(sys.argv[1])
try:
    shell = Shell(task)
except sqlite3.Error as e:
    sys.exit(f'Error: unable to open database "{task["file"]}": {e}')
if task["sql"]:
    for text in task["sql"]:
        if not shell.run(text, "Error: in prepare, ") or shell.failed:
            break
else:
    shell.run(sys.stdin.read(), "Parse error near line {number}: ")
sys.exit(1 if shell.failed else 0)
