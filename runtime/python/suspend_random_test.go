package python_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// pieces are statements of random programs. Each has names that end with its number, N, for what it makes, and may wait
// for calls of ask, which gives what it gets, or raises an error for what is negative.
var pieces = []string{
	`
def counterN():
    n = 0
    async def up():
        nonlocal n
        n += await ask(N)
        return n
    return up
upN = counterN()
out(await upN(), await upN())`, `
class AN:
    made = 0
    def __init__(self): self.__x = N; AN.made += 1
    async def x(self): self.__x += await ask(1); return self.__x
    @property
    def y(self): return self.__x
class BN(AN):
    __slots__ = ('z',)
    async def x(self): return await super().x() * 2
bN = BN(); bN.z = await ask('z')
out(await bN.x(), bN.y, AN.made, isinstance(bN, AN), bN.z)`, `
def genN():
    try:
        i = 0
        while True:
            got = yield i
            i += got or 1
    finally:
        out('closed', N)
itN = genN(); next(itN)
out(itN.send(await ask(N))); itN.close(); out(list(itN))`, `
async def agenN():
    for i in range(3): yield await ask(i)
async for vN in agenN():
    out(vN)
    if vN == 1: await ask('in a loop')`, `
dN = {(1, N): 'tuple', 'k': await ask(N), 1.5: {await ask(0)}}
sN = set(dN) | {frozenset((1, N))}
await ask(1)
out(dN, sorted(map(str, sN)), list(dN.items())[-1], {k: v for k, v in dN.items() if k != 'k'})`, `
import dataclasses, typing
@dataclasses.dataclass(order=True, frozen=True)
class DN:
    a: int
    b: list = dataclasses.field(default_factory=list, compare=False)
oneN = DN(await ask(N)); twoN = dataclasses.replace(oneN, a=N + 1); oneN.b.append(await ask('b'))
try: oneN.a = 1
except dataclasses.FrozenInstanceError as e: out(e)
out(oneN < twoN, twoN, dataclasses.asdict(oneN), hash(oneN) == hash(DN(N)))`, `
import datetime, zoneinfo
tN = datetime.datetime(2020, 2, 28, 23, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')); await ask(N)
tN += datetime.timedelta(days=await ask(N), hours=1)
out(tN.isoformat(), tN.utcoffset(), tN.strftime('%A %d. %B'),
    datetime.date.fromisoformat('2024-02-29').isocalendar())`, `
import decimal, fractions
with decimal.localcontext() as ctxN:
    ctxN.prec = 7
    await ask(N)
    out(decimal.Decimal(1) / 7, decimal.getcontext().prec)
out(decimal.getcontext().prec, fractions.Fraction(N, await ask(6)) ** 3, 2 ** (100 + await ask(N)))`, `
import random
random.seed(N); firstN = [random.random(), random.gauss(0, 1)]; await ask(N)
ownN = random.Random(await ask(N))
moreN = [random.gauss(0, 1), random.choice('abc'), ownN.getrandbits(70)]; await ask(1)
out(firstN, moreN, random.sample(range(100), 5), ownN.shuffle([1, 2]))`, `
try:
    await ask(-1 - N)
    out('no')
except ToolError as e:
    out(type(e).__name__, e, e.__traceback__ is not None)
else:
    out('else')
finally:
    out(await ask('finally'))`, `
class EN(Exception):
    def __init__(self, n): super().__init__(n); self.n = n
async def failN():
    try: await ask(-N)
    except ToolError as e: raise EN(await ask(N)) from e
try: await failN()
except EN as e: out(repr(e), e.n, repr(e.__cause__), e.__context__ is e.__cause__); savedN = e
await ask(1); out(savedN.args)`, `
import asyncio
out(await asyncio.gather(ask(N), ask('b'), asyncio.sleep(0, 'c'), ask([1, {'a': None}])))`, `
import asyncio
doneN, leftN = await asyncio.wait([asyncio.create_task(ask(N)), asyncio.create_task(asyncio.sleep(60))],
    return_when=asyncio.FIRST_COMPLETED)
out([t.result() for t in doneN], len(leftN)); [t.cancel() for t in leftN]
out(await asyncio.gather(*leftN, return_exceptions=True))`, `
import asyncio
resultsN = await asyncio.gather(ask(-N), ask(N), return_exceptions=True)
out([repr(r) for r in resultsN])`, `
import asyncio
ticksN = []
async def tickN():
    for i in range(4): ticksN.append(i); await asyncio.sleep(0.001)
taskN = asyncio.create_task(tickN()); await ask(N); await taskN; await asyncio.sleep(0.001, await ask(2))
out(ticksN, taskN.done())`, `
import asyncio
try:
    async with asyncio.timeout(30): out('in time', await ask(N))
    async with asyncio.TaskGroup() as gN:
        aN = gN.create_task(ask('a')); bN = gN.create_task(ask(-N)); cN = gN.create_task(asyncio.sleep(50))
except* ToolError as e: out(e.exceptions)
out(cN.cancelled(), aN.done())`, `
import asyncio
qN, eN, lockN = asyncio.Queue(2), asyncio.Event(), asyncio.Lock()
async def putN():
    for x in range(5):
        async with lockN: await qN.put(await ask(x))
    eN.set()
pN = asyncio.create_task(putN()); gotN = [await qN.get() for _ in range(3)]
await ask(N); gotN += [await qN.get() for _ in range(2)]
await eN.wait(); await pN; out(gotN, qN.empty())`, `
import contextlib, contextvars
varN = contextvars.ContextVar('v', default=0); tokenN = varN.set(N)
@contextlib.asynccontextmanager
async def managedN():
    out('enter', await ask(N))
    try: yield varN.get()
    finally: out('exit', await ask('x'))
async with managedN() as mN, contextlib.AsyncExitStack() as stackN:
    stackN.push_async_callback(ask.start, N); out(mN); await ask(2)
varN.reset(tokenN); out(varN.get())`, `
import re, itertools, functools, collections
countN = itertools.count(N); next(countN); cycleN = itertools.cycle('ab')
next(cycleN); reN = re.finditer(r'(?P<w>\w+)-(\d)', 'a-1 b-2 c-3'); next(reN)
pairsN = zip(countN, cycleN, map(lambda m: m['w'], reN)); await ask(N)
out(next(pairsN)); await ask(1); out(list(pairsN))
@functools.lru_cache
def fibN(n): return n if n < 2 else fibN(n - 1) + fibN(n - 2)
fibN(30); await ask(1)
out(fibN(50), fibN.cache_info().misses, collections.Counter('abca').most_common(1), collections.deque([1, 2, 3], 2))`, `
import sqlite3, json
dbN = sqlite3.connect(':memory:'); dbN.execute('create table t (x, y)')
dbN.create_function('twice', 1, lambda x: x * 2)
dbN.executemany('insert into t values (?, ?)', [(i, str(i)) for i in range(50)])
curN = dbN.execute('select twice(x), y from t order by x'); curN.fetchone(); await ask(N)
out(curN.fetchone(), await ask(json.loads('{"a": [1, 2.5, null]}')),
    dbN.execute('select count(*), sum(x) from t').fetchone(), len(curN.fetchall()))`, `
import weakref, gc
class WN: pass
objN = WN(); objN.me = objN; refN = weakref.ref(objN, lambda _: out('gone', N))
setN = weakref.WeakSet([objN]); await ask(N)
out(refN() is objN, len(setN)); del objN; gc.collect(); await ask(1); out(refN(), len(setN))`, `
import hashlib, zlib, struct, array
hN = hashlib.sha256(b'a'); cN = zlib.compressobj(); partN = cN.compress(b'abc' * 1000)
viewN = memoryview(bytearray(b'12345678')); await ask(N)
hN.update(b'b'); partN += cN.flush(); viewN[2:4] = struct.pack('>h', N); await ask(2)
out(hN.hexdigest(), len(zlib.decompress(partN)), bytes(viewN), array.array('d', [N, 0.5]).tobytes().hex())`, `
import io, csv, textwrap, string
bufN = io.StringIO(); wN = csv.writer(bufN); wN.writerow([N, 'a,b']); await ask(1)
wN.writerow(['"', await ask('é')]); out(bufN.getvalue())
print('partly', end=''); await ask(N); print(' done'); print('flushed', end='', flush=True)
await ask(2); print(' as well', file=sys.stderr)`, `
import enum, types
class ColorN(enum.Flag):
    RED = 1; BLUE = 2
nsN = types.SimpleNamespace(n=N, c=ColorN.RED | ColorN.BLUE); await ask(1)
match await ask({'kind': 'point', 'at': [N, 2]}):
    case {'kind': 'point', 'at': [x, y]}: out('point', x, y, nsN, ColorN(2) in nsN.c)`, `
class MetaN(type):
    def __new__(m, name, bases, d): return super().__new__(m, name, bases, {**d, 'tag': name.lower()})
    def __call__(cls, *a): out('making', a); return super().__call__(*a)
class FN(metaclass=MetaN):
    def __init__(self, n): self.n = n
    def __getattr__(self, name): return 'no ' + name
    def __await__(self): return (yield from ask.start(self.n).__await__())
fN = FN(N); out(fN.tag, fN.other, await fN)`, `
import typing, abc, operator
squaresN = [await ask(i) ** 2 for i in range(3)]
evenN = {k: v async for k, v in ((i, await ask(i)) for i in range(4)) if k % 2 == 0}
out(squaresN, evenN, (lambda *a, k=N, **kw: (a, k, kw))(*squaresN, z=await ask(9)))
for i in range(3):
    for j in range(3):
        if await ask(i * j) == 2: break
        if j: continue
        out(i, j)
    else: out('whole', i)`, `
import time, logging, uuid, copy
logging.basicConfig(format='%(levelname)s %(message)s', stream=sys.stdout)
t0N = time.monotonic(); await ask(N); logging.warning('w%d', N); out(time.monotonic() >= t0N)
deepN = copy.deepcopy({'a': [1, {2}], 'b': await ask([[N]])})
out(deepN, uuid.uuid5(uuid.NAMESPACE_DNS, str(N)), sys.getrecursionlimit())`, `
async def recurseN(n): return await ask(N) if n == 0 else await recurseN(n - 1) + 1
out(await recurseN(20)); exec('async def madeN(): return await ask.start("made")')
out(await madeN(), eval('N + 1'))`, `
import importlib, email.message, html.parser, xml.etree.ElementTree as ET
m = email.message.EmailMessage(); m['Subject'] = 'Sé' + str(N); treeN = ET.fromstring('<a><b n="1"/>t</a>')
iterN = treeN.iter(); next(iterN); await ask(N)
out(m['Subject'], next(iterN).attrib, ET.tostring(treeN), importlib.import_module('colorsys').rgb_to_hsv(0, 0.5, 1))`,
}

const prologue = "import sys\nask = tools.ask\ndef out(*v):\n    print(*map(repr, v))\n"

var numberName = regexp.MustCompile(`N\b`)

// randomProgram returns code of some pieces. The first programs have one piece each.
func randomProgram(seed int, random *rand.Rand) string {
	var b strings.Builder
	b.WriteString(prologue)
	chosen := []string{pieces[seed%len(pieces)]}
	for range random.IntN(6) {
		if seed >= len(pieces) {
			chosen = append(chosen, pieces[random.IntN(len(pieces))])
		}
	}
	for n, piece := range chosen {
		piece = numberName.ReplaceAllString(piece, fmt.Sprint(n+1))
		// all variables are in a frame
		if random.IntN(4) == 0 && !strings.Contains(piece, "except*") && !strings.Contains(piece, "exec(") {
			piece = fmt.Sprintf("\nasync def in_function%d():%s\nawait in_function%d()", n, strings.ReplaceAll(piece,
				"\n", "\n    "), n)
		}
		b.WriteString(piece + "\n")
	}
	b.WriteString("'over'")
	return b.String()
}

// answerOf is what ask answers.
func answerOf(x any) (any, error) {
	if n, ok := x.(int64); ok && n < 0 {
		return nil, &python.FunctionError{Name: "ToolError", Message: fmt.Sprintf("refused %v", n)}
	}
	return x, nil
}

// answering answers at most one call, chosen at random, and none of the others.
func answering(random *rand.Rand) *python.RunOptions {
	var mu sync.Mutex
	answered := false
	return asking(func(x any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		if answered || random.IntN(2) == 0 {
			return nil, python.ErrSuspend
		}
		answered = true
		return answerOf(x)
	})
}

// A program that is suspended whenever it waits, and goes on with another engine, gives what it gives without that.
func TestRandomProgramsAreSuspendedAtEveryWait(t *testing.T) {
	count, every := len(pieces), 7
	if *soak {
		count, every = 330, 1
	}
	programs, waits, largest := 0, 0, 0
	other := other(t)
	for seed := 0; seed < count; seed += every {
		programs++
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		code := randomProgram(seed, random)
		options := asking(answerOf)
		options.Session = seed%2 == 1
		want, err := interpreter.Run(t.Context(), code, options)
		require.NoError(t, err, code)

		options = asking(nil)
		options.Session = seed%2 == 1
		got, err := interpreter.Run(t.Context(), code, options)
		suspensions := 0
		for ; err == python.ErrSuspend; suspensions++ {
			on := other
			if suspensions%2 == 1 {
				on = interpreter
			}
			sealed, sealErr := got.State.Seal(stateKey, 0)
			require.NoError(t, sealErr)
			largest = max(largest, len(sealed))
			state, openErr := on.OpenState(sealed, stateKey, sandbox.DefaultMemory)
			require.NoError(t, openErr)
			got, err = on.Resume(t.Context(), state, answering(random))
			require.Less(t, suspensions, 1000, code)
		}
		require.NoError(t, err, code)
		require.Positive(t, suspensions, code)
		require.Equal(t, want.Text, got.Text, code)
		require.Equal(t, text(want), text(got), code)
		require.Equal(t, want.State == nil, got.State == nil)
		waits += suspensions
	}
	t.Log(programs, "programs,", waits, "waits, the largest state has", largest, "bytes")
}

// text returns what a run has printed.
func text(result *python.Result) string {
	var b strings.Builder
	for _, e := range result.Console {
		b.WriteString(e.Text)
		if !e.Unfinished {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// The answers of three forks are their own.
func TestForksOfOneState(t *testing.T) {
	first := suspended(t, "import random\nrandom.seed(1)\nseen = []\nfor n in range(3):\n    seen.append(await "+
		"tools.ask(n))\nseen, random.random()")
	for _, add := range []int64{10, 20, 30} {
		o := asking(func(x any) (any, error) { return x.(int64) + add, nil })
		forked, err := interpreter.Resume(t.Context(), first.State, o)
		require.NoError(t, err)
		whole, err := interpreter.Run(context.Background(),
			"import random\nrandom.seed(1)\n[await tools.ask(n) for n in range(3)], random.random()", o)
		require.NoError(t, err)
		require.Equal(t, whole.Text, forked.Text)
		require.False(t, errors.Is(err, python.ErrSuspend))
	}
}
