//go:build suites

package python_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// programs are typical of what models write and of what Python is measured with. Each defines main.
var programs = []struct{ name, code string }{
	{"recursion", `
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def main(): fib(20)`},
	{"floats", `
def main():
    x, y, z, vx, vy, vz = 1.0, 0.0, 0.5, 0.0, 1.0, 0.1
    for _ in range(20000):
        d = (x * x + y * y + z * z) ** -1.5
        vx -= x * d * 0.01; vy -= y * d * 0.01; vz -= z * d * 0.01
        x += vx * 0.01; y += vy * 0.01; z += vz * 0.01`},
	{"lists", `
def main():
    flags = [True] * 100000
    for i in range(2, 317):
        if flags[i]:
            flags[i * i::i] = [False] * len(flags[i * i::i])
    return [i for i, is_prime in enumerate(flags) if is_prime]`},
	{"dictionaries", `
words = [f"word{i * 7919 % 997}" for i in range(30000)]
def main():
    counts = {}
    for word in words: counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10]`},
	{"sorting", `
values = [i * 7919 % 100003 for i in range(40000)]
def main(): return sorted(values), sorted(values, key=lambda v: -v)`},
	{"texts", `
def main():
    rows = [f"{i},{i * 1.5:.2f},name {i}" for i in range(8000)]
    text = "\n".join(rows)
    return [[field.strip().upper() for field in line.split(",")] for line in text.splitlines()]`},
	{"objects", `
class Account:
    def __init__(self, owner): self.owner, self.balance = owner, 0
    def deposit(self, amount):
        if amount <= 0: raise ValueError(amount)
        self.balance += amount
        return self
def main():
    accounts = [Account(i) for i in range(200)]
    for i in range(20000):
        try: accounts[i % 200].deposit(i % 50)
        except ValueError: pass`},
	{"generators", `
def pairs(n):
    for i in range(n): yield i, i * i
def main(): return sum(b for a, b in pairs(60000) if a % 3)`},
	{"regular expressions", `
import re
text = "the quick brown fox, 12 jumps on 2024-05-17; mail a.b@example.org " * 200
def main():
    re.findall(r"\d{4}-\d{2}-\d{2}|[\w.]+@[\w.]+", text)
    return re.sub("[aeiou]", lambda m: m[0].upper(), text)`},
	{"JSON", `
import json
data = [{"id": i, "name": f"n{i}", "tags": ["a", "b"], "score": i / 7} for i in range(1500)]
def main(): return json.loads(json.dumps(data))`},
	{"CSV and statistics", `
import csv, io, statistics
text = "a,b,c\n" + "\n".join(f"{i},{i % 7},{i * 0.5}" for i in range(4000))
def main():
    rows = list(csv.DictReader(io.StringIO(text)))
    return statistics.mean(float(row["c"]) for row in rows), statistics.stdev(int(row["b"]) for row in rows)`},
	{"SQLite", `
import sqlite3
def main():
    db = sqlite3.connect(":memory:")
    db.execute("create table t (a integer primary key, b text, c real)")
    db.executemany("insert into t values (?, ?, ?)", ((i, f"k{i % 100}", i / 3) for i in range(8000)))
    return db.execute("select b, sum(c), count(*) from t group by b order by 2 desc").fetchall()`},
	{"large numbers", `
def main():
    a = 3 ** 20000
    return len(str(a % 10 ** 3000)), pow(7, 12345, 10 ** 200 + 9)`},
}

// BenchmarkAgainstNative compares Python in the sandbox with the machine's own, /usr/bin/python3.11 or
// TOOLRUN_NATIVE_PYTHON, by the processor time that main takes, since others may use the machine as well. The metric is
// the ratio of the shortest times.
func BenchmarkAgainstNative(b *testing.B) {
	needPython(b)
	native := cmp.Or(os.Getenv("TOOLRUN_NATIVE_PYTHON"), "/usr/bin/python3.11")
	if _, err := os.Stat(native); err != nil {
		b.Skip("there is no " + native)
	}
	const rounds = 20
	inside := func(code string) time.Duration {
		var before, after unix.Rusage
		require.NoError(b, unix.Getrusage(unix.RUSAGE_THREAD, &before))
		run(b, code, python.RunOptions{Limits: sandbox.Limits{Time: sandbox.Unlimited}})
		require.NoError(b, unix.Getrusage(unix.RUSAGE_THREAD, &after))
		return time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	}
	outside := func(code string) time.Duration {
		cmd := exec.Command(native, "-I", "-c", code)
		require.NoError(b, cmd.Run())
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	product := 1.0
	for _, program := range programs {
		// least returns the shortest time of main in several measurements.
		least := func(best time.Duration, measure func(code string) time.Duration) time.Duration {
			times := func(n int) string { return fmt.Sprintf("%s\nfor _ in range(%d): main()", program.code, n) }
			start := measure(times(0))
			return min(best, (measure(times(rounds))-start)/rounds)
		}
		in, out := time.Hour, time.Hour
		b.Run(program.name, func(b *testing.B) {
			goruntime.LockOSThread() // whose time is taken
			defer goruntime.UnlockOSThread()
			for b.Loop() {
				in, out = least(in, inside), least(out, outside)
			}
			b.ReportMetric(float64(out.Microseconds())/1000, "native-ms")
			b.ReportMetric(float64(in.Microseconds())/1000, "sandbox-ms")
			b.ReportMetric(in.Seconds()/out.Seconds(), "x")
			b.ReportMetric(0, "ns/op")
		})
		product *= math.Pow(in.Seconds()/out.Seconds(), 1/float64(len(programs)))
	}
	b.Run("geometric mean", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(product, "x")
		b.ReportMetric(0, "ns/op")
	})
}
