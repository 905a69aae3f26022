// What published tests use of vitest, small: it collects tests, runs them and prints a line of JSON for each, with its
// name and what is wrong. It is installed as the package vitest, for Node and for the sandbox alike.

const matchers = {};
const root = suite('');
let current = root;
let mocks = [];

function suite(name, parent) {
  return { name, parent, tests: [], before: [], after: [], beforeEach: [], afterEach: [] };
}

function describeIt(name, body) {
  const outer = current;
  current = suite(typeof name === 'function' ? name.name : String(name), outer);
  outer.tests.push(current);
  try {
    body?.();
  } finally {
    current = outer;
  }
}

function testIt(name, body, ...rest) {
  if (typeof rest[0] === 'function') body = rest[0];
  if (body) current.tests.push({ name: typeof name === 'function' ? name.name : String(name), body });
}

/** withVariants gives describe and it the variants of which tests make use. */
function withVariants(declare) {
  const skipped = () => {};
  skipped.each = () => () => {};
  return Object.assign(declare, {
    skip: skipped, todo: skipped, only: declare, concurrent: declare, sequential: declare,
    skipIf: (condition) => (condition ? skipped : declare),
    runIf: (condition) => (condition ? declare : skipped),
    each: (table, ...values) => (name, body) => {
      for (const [i, row] of rowsOf(table, values).entries()) {
        declare(titled(name, row, i), () => body(...(Array.isArray(row) ? row : [row])));
      }
    },
  });
}

/** rowsOf returns the rows of a table: a list, or a template whose first line names the columns. */
function rowsOf(table, values) {
  if (!table.raw) return table;
  const columns = table[0].split('|').map((column) => column.trim());
  const rows = [];
  for (let i = 0; i < values.length; i += columns.length) {
    rows.push(Object.fromEntries(columns.map((column, j) => [column, values[i + j]])));
  }
  return rows;
}

function titled(name, row, index) {
  const values = Array.isArray(row) ? [...row] : [row];
  return String(name).replace(/%([sdifjo#%])/g, (all, kind) => {
    if (kind === '%') return '%';
    if (kind === '#') return index;
    return values.length ? shown(values.shift()) : all;
  }).replace(/\$(\w+)/g, (all, key) => (row && typeof row === 'object' && key in row ? shown(row[key]) : all));
}

/** shown writes a value in a way that is the same for all engines. */
function shown(value, depth = 0) {
  if (typeof value === 'string') return depth ? JSON.stringify(value) : value;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return `[function ${value.name}]`;
  if (value === null || typeof value !== 'object') return Object.is(value, -0) ? '-0' : String(value);
  if (depth > 3) return '...';
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Date) return Number.isNaN(+value) ? 'Invalid Date' : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (Array.isArray(value)) return `[${value.slice(0, 50).map((v) => shown(v, depth + 1)).join(', ')}]`;
  if (value instanceof Map) return `Map ${shown([...value], depth)}`;
  if (value instanceof Set) return `Set ${shown([...value], depth)}`;
  return `{${Object.keys(value).slice(0, 50).map((key) => `${key}: ${shown(value[key], depth + 1)}`).join(', ')}}`;
}

export const describe = withVariants(describeIt);
export const it = withVariants(testIt);
export const test = it;
export const beforeAll = (hook) => current.before.push(hook);
export const afterAll = (hook) => current.after.push(hook);
export const beforeEach = (hook) => current.beforeEach.push(hook);
export const afterEach = (hook) => current.afterEach.push(hook);

/** equal compares as toEqual does, or as toStrictEqual if strict. */
function equal(a, b, strict, seen = new Map()) {
  if (b?.asymmetricMatch) return b.asymmetricMatch(a);
  if (a?.asymmetricMatch) return a.asymmetricMatch(b);
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const kind = Object.prototype.toString.call(a);
  if (kind !== Object.prototype.toString.call(b)) return false;
  if (a instanceof Number || a instanceof String || a instanceof Boolean) return Object.is(a.valueOf(), b.valueOf());
  if (a instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (a instanceof RegExp) return a.source === b.source && a.flags === b.flags;
  if (a instanceof Error) return a.message === b.message && (!strict || a.name === b.name);
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (seen.get(a) === b) return true;
  seen.set(a, b);
  const same = (x, y) => equal(x, y, strict, seen);
  if (a instanceof Set) return a.size === b.size && [...a].every((x) => b.has(x) || [...b].some((y) => same(x, y)));
  if (a instanceof Map) {
    return a.size === b.size && [...a].every(([key, value]) => (b.has(key)
      ? same(value, b.get(key)) : [...b].some(([k, v]) => same(key, k) && same(value, v))));
  }
  if (Array.isArray(a) && a.length !== b.length) return false;
  const keys = (object) => [...Object.keys(object),
    ...Object.getOwnPropertySymbols(object).filter((key) => Object.prototype.propertyIsEnumerable.call(object, key))];
  const left = keys(a);
  const right = keys(b);
  if (strict && left.length !== right.length) return false;
  return [...new Set([...left, ...right])].every((key) => (!strict || (Object.hasOwn(a, key) &&
    Object.hasOwn(b, key))) && same(a[key], b[key]));
}

/** partly reports whether an object has at least what another one has. */
function partly(actual, wanted) {
  if (wanted === null || typeof wanted !== 'object' || wanted.asymmetricMatch || wanted instanceof Date)
    return equal(actual, wanted);
  if (actual === null || typeof actual !== 'object') return false;
  if (Array.isArray(wanted)) return Array.isArray(actual) && actual.length === wanted.length &&
    wanted.every((w, i) => partly(actual[i], w));
  return Object.keys(wanted).every((key) => key in actual && partly(actual[key], wanted[key]));
}

function hasThrown(actual, wanted, isError) {
  let thrown = actual;
  if (!isError) {
    try {
      actual();
      return false;
    } catch (error) {
      thrown = error;
    }
  }
  if (wanted === undefined) return true;
  const message = typeof thrown === 'string' ? thrown : thrown?.message;
  if (typeof wanted === 'string') return String(message).includes(wanted);
  if (wanted instanceof RegExp) return wanted.test(message);
  if (typeof wanted === 'function') return thrown instanceof wanted;
  return wanted.asymmetricMatch ? wanted.asymmetricMatch(thrown) : message === wanted.message;
}

const atPath = (object, path) => (Array.isArray(path) ? path : String(path).split('.')).reduce((o, key) => o?.[key],
  object);
const calledWith = (f, args) => f.mock.calls.some((call) => equal(call, args));

Object.assign(matchers, {
  toBe: (a, b) => Object.is(a, b),
  toEqual: (a, b) => equal(a, b),
  toStrictEqual: (a, b) => equal(a, b, true),
  toMatchObject: partly,
  toThrow: hasThrown,
  toThrowError: hasThrown,
  toBeTruthy: (a) => Boolean(a),
  toBeFalsy: (a) => !a,
  toBeUndefined: (a) => a === undefined,
  toBeDefined: (a) => a !== undefined,
  toBeNull: (a) => a === null,
  toBeNaN: (a) => Number.isNaN(a),
  toBeTypeOf: (a, type) => typeof a === type,
  toBeInstanceOf: (a, type) => a instanceof type,
  toBeCloseTo: (a, b, digits = 2) => Object.is(a, b) || Math.abs(a - b) < 10 ** -digits / 2,
  toBeGreaterThan: (a, b) => a > b,
  toBeGreaterThanOrEqual: (a, b) => a >= b,
  toBeLessThan: (a, b) => a < b,
  toBeLessThanOrEqual: (a, b) => a <= b,
  toContain: (a, b) => (typeof a === 'string' ? a.includes(b) : [...a].includes(b)),
  toContainEqual: (a, b) => [...a].some((x) => equal(x, b)),
  toHaveLength: (a, length) => a.length === length,
  toHaveProperty: (a, path, ...value) => (value.length ? equal(atPath(a, path), value[0])
    : atPath(a, path) !== undefined),
  toMatch: (a, b) => (typeof b === 'string' ? a.includes(b) : b.test(a)),
  toHaveBeenCalled: (f) => f.mock.calls.length > 0,
  toHaveBeenCalledTimes: (f, times) => f.mock.calls.length === times,
  toHaveBeenCalledWith: (f, ...args) => calledWith(f, args),
  toBeCalled: (f) => f.mock.calls.length > 0,
  toBeCalledTimes: (f, times) => f.mock.calls.length === times,
  toBeCalledWith: (f, ...args) => calledWith(f, args),
});

class Failure extends Error {}

function expectation(actual, { not = false, settled = '' } = {}) {
  const out = {};
  for (const [name, matches] of Object.entries(matchers)) {
    const check = (value, args, isError) => {
      const done = name.startsWith('toThrow') ? matches(value, args[0], isError) : matches(value, ...args);
      if (done === not) {
        throw new Failure(`${shown(value, 1)} ${not ? 'not.' : ''}${name} ${args.map((arg) => shown(arg, 1)).join(', ')}`);
      }
    };
    out[name] = (...args) => {
      if (!settled) return check(actual, args, false);
      const promise = Promise.resolve(typeof actual === 'function' ? actual() : actual);
      if (settled === 'resolves') return promise.then((value) => check(value, args, false));
      return promise.then((value) => { throw new Failure(`resolved with ${shown(value, 1)}`); },
        (error) => check(error, args, true));
    };
  }
  Object.defineProperties(out, {
    not: { get: () => expectation(actual, { not: !not, settled }) },
    resolves: { get: () => expectation(actual, { not, settled: 'resolves' }) },
    rejects: { get: () => expectation(actual, { not, settled: 'rejects' }) },
  });
  return out;
}

const matching = (asymmetricMatch) => ({ asymmetricMatch });
export const expect = Object.assign((actual) => expectation(actual), {
  anything: () => matching((value) => value !== null && value !== undefined),
  any: (type) => matching((value) => Object(value) instanceof type),
  arrayContaining: (list) => matching((value) => Array.isArray(value) &&
    list.every((x) => value.some((y) => equal(y, x)))),
  objectContaining: (object) => matching((value) => partly(value, object)),
  stringContaining: (text) => matching((value) => typeof value === 'string' && value.includes(text)),
  stringMatching: (text) => matching((value) => typeof value === 'string' && new RegExp(text).test(value)),
  assertions: () => {},
  hasAssertions: () => {},
});

function fn(implementation = () => undefined) {
  function mock(...args) {
    mock.mock.calls.push(args);
    const value = implementation.apply(this, args);
    mock.mock.results.push({ type: 'return', value });
    return value;
  }
  mock.mock = { calls: [], results: [] };
  const sets = (make) => (value) => { implementation = make(value); return mock; };
  return Object.assign(mock, {
    mockImplementation: sets((f) => f),
    mockReturnValue: sets((value) => () => value),
    mockResolvedValue: sets((value) => async () => value),
    mockClear: () => { mock.mock.calls.length = mock.mock.results.length = 0; return mock; },
    mockReset: () => { implementation = () => undefined; return mock.mockClear(); },
    mockRestore: () => mock.mockReset(),
  });
}

function spyOn(object, name) {
  const original = object[name];
  const mock = fn(original);
  object[name] = mock;
  mock.mockRestore = () => { object[name] = original; };
  mocks.push(mock);
  return mock;
}

export const vi = { fn, spyOn, restoreAllMocks: () => { mocks.forEach((mock) => mock.mockRestore()); mocks = []; } };

async function runTests(group, path, hooks) {
  for (const hook of group.before) await hook();
  const before = [...hooks.before, ...group.beforeEach];
  const after = [...group.afterEach, ...hooks.after];
  for (const entry of group.tests) {
    const name = path ? `${path} > ${entry.name}` : entry.name;
    if (entry.tests) {
      await runTests(entry, name, { before, after });
      continue;
    }
    let wrong = '';
    try {
      for (const hook of before) await hook();
      await entry.body(() => {});
    } catch (error) {
      wrong = error instanceof Failure ? error.message : String(error?.stack ? `${error}\n${error.stack}` : error) ||
        'error';
    }
    try {
      for (const hook of after) await hook();
    } catch (error) {
      wrong ||= `afterEach: ${error}`;
    }
    vi.restoreAllMocks();
    report([name, wrong]);
  }
  for (const hook of group.after) await hook();
}

// Tests may replace the console.
const print = console.log.bind(console);
const report = (line) => print(`@test ${JSON.stringify(line)}`);

/** run loads a file of tests and runs them. */
export async function run(load) {
  let seed = 42; // names of tests are made at random too
  Math.random = () => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648; };
  Object.assign(globalThis, { describe, it, test, expect, vi, beforeAll, afterAll, beforeEach, afterEach });
  await load();
  await runTests(root, '', { before: [], after: [] });
  report(['(end)', '']);
}
