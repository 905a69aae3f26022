// What Node's tests require as '../common': written for these tests, after the description in Node's
// test/common/README.md. The host counts calls (nodetest) and compares them when the run has ended.
'use strict';
const assert = require('assert');
const { inspect } = require('util');

const nothing = () => {};

// counted returns a function that does what another one does, whose calls are counted.
const counted = (wording) => (fn, expected = 1) => {
  if (typeof fn === 'number') [fn, expected] = [nothing, fn];
  fn ??= nothing;
  if (typeof expected !== 'number') throw new TypeError(`Invalid number of calls: ${expected}`);
  const id = nodetest.expect(fn.name || '<anonymous>', wording, expected, new Error().stack);
  const wrapper = function (...args) {
    nodetest.called(id);
    return fn.apply(this, args);
  };
  Object.defineProperties(wrapper, {
    name: { value: fn.name, writable: false, enumerable: false, configurable: true },
    length: { value: fn.length, writable: false, enumerable: false, configurable: true },
  });
  return wrapper;
};
const mustCall = counted('exactly');
const mustCallAtLeast = counted('at least');

const mustSucceed = (fn, expected) => mustCall(function (error, ...args) {
  assert.ifError(error);
  return typeof fn === 'function' ? fn.apply(this, args) : undefined;
}, expected);

function mustNotCall(message) {
  const where = new Error().stack;
  return function mustNotCall(...args) {
    const text =
      `${message || 'function should not have been called'}, with ${args.map((a) => inspect(a)).join(', ')}\n${where}`;
    nodetest.fail(text); // also if the exception is caught
    assert.fail(text);
  };
}

const expectsError = (validator, expected) => mustCall((...args) => {
  if (args.length !== 1) assert.fail(`expected one argument, got ${inspect(args)}`);
  assert.throws(() => { throw args[0]; }, validator);
  return true;
}, expected);

// Warnings that are expected, by name. Others are failures once one is expected.
let warnings;
function expectWarning(nameOrMap, expected, code) {
  if (warnings === undefined) {
    warnings = {};
    process.on('warning', (warning) => {
      if (!warnings[warning.name])
        throw new TypeError(`"${warning.name}" was triggered without being expected.\n${inspect(warning)}`);
      warnings[warning.name](warning);
    });
  }
  const each = typeof nameOrMap === 'string' ? {
    [nameOrMap]: code === undefined ? expected : [expected, code],
  } : nameOrMap;
  for (const name of Object.keys(each)) warnings[name] = expectedWarnings(name, each[name]);
}
function expectedWarnings(name, expected) {
  if (typeof expected === 'string') {
    expected = [[expected]];
  } else if (!Array.isArray(expected)) {
    expected = Object.entries(expected).map(([code, message]) => [message, code]);
  } else if (expected.length > 0 && !Array.isArray(expected[0])) {
    expected = [expected];
  }
  if (name === 'DeprecationWarning') {
    for (const [message, code] of expected) assert(code, `a deprecation has a code: ${message}`);
  }
  return mustCall((warning) => {
    assert.ok(expected.length > 0, `Unexpected extra warning received: ${warning.message}`);
    const [message, code] = expected.shift();
    assert.strictEqual(warning.name, name);
    if (typeof message === 'string')
      assert.strictEqual(warning.message, message); else assert.match(warning.message, message);
    assert.strictEqual(warning.code, code);
  }, expected.length);
}

// mustNotMutateObjectDeep returns a proxy of an object, and of those in it, that refuses every change.
const unchanging = new WeakMap();
function mustNotMutateObjectDeep(original) {
  if (original === null || typeof original !== 'object' || ArrayBuffer.isView(original)) return original;
  if (unchanging.has(original)) return unchanging.get(original);
  const refuse = (what) => (_, name) => { assert.fail(`Expected no side effects, got ${what} of ${inspect(name)}`); };
  const proxy = new Proxy(original, {
    __proto__: null,
    get: (target, name, receiver) => mustNotMutateObjectDeep(Reflect.get(target, name, receiver)),
    defineProperty: refuse('a definition'), deleteProperty: refuse('a removal'), set: refuse('an assignment'),
    preventExtensions: refuse('preventExtensions'), setPrototypeOf: refuse('a new prototype'),
  });
  unchanging.set(original, proxy);
  return proxy;
}

// invalidArgTypeHelper returns how ERR_INVALID_ARG_TYPE describes what it received.
function invalidArgTypeHelper(value) {
  if (value == null) return ` Received ${value}`;
  if (typeof value === 'function') return ` Received function ${value.name}`;
  if (typeof value === 'object') {
    return value.constructor?.name ? ` Received an instance of ${value.constructor.name}`
      : ` Received ${inspect(value, { depth: -1 })}`;
  }
  const shown = inspect(value, { colors: false });
  return ` Received type ${typeof value} (${shown.length > 28 ? `${shown.slice(0, 25)}...` : shown})`;
}

function skip(reason) {
  nodetest.skip(String(reason));
  process.exit(0);
}

function getArrayBufferViews({ buffer, byteOffset, byteLength }) {
  const types = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array,
    Int32Array, Uint32Array, Float32Array,
    Float64Array, BigInt64Array, BigUint64Array, DataView];
  return types.filter((type) => byteLength % (type.BYTES_PER_ELEMENT ?? 1) === 0)
    .map((type) => new type(buffer, byteOffset, byteLength / (type.BYTES_PER_ELEMENT ?? 1)));
}

// What needs a process, the network, or another machine is not here: reading it throws.
const common = {
  allowGlobals: nothing,
  buildType: 'Release',
  canCreateSymLink: () => true,
  expectsError,
  expectWarning,
  getArrayBufferViews,
  getBufferSources: (view) => [...getArrayBufferViews(view), new Uint8Array(view).buffer],
  getCallSite: (fn) => new Error().stack.split('\n')[2],
  hasCrypto: true,
  hasFipsCrypto: false,
  hasIntl: true,
  hasIPv6: false,
  hasOpenSSL: (major) => major <= 3,
  hasOpenSSL3: true,
  hasQuic: false,
  invalidArgTypeHelper,
  isAIX: false,
  isASan: false,
  isDumbTerminal: false,
  isFreeBSD: false,
  isIBMi: false,
  isLinux: true,
  isLinuxPPCBE: false,
  isMacOS: false,
  isMainThread: true,
  isOpenBSD: false,
  isPi: false,
  isSunOS: false,
  isWindows: false,
  mustCall,
  mustCallAtLeast,
  mustNotCall,
  mustNotMutateObjectDeep,
  mustSucceed,
  parseTestFlags: () => [],
  platformTimeout: (ms) => ms,
  printSkipMessage: nothing,
  runWithInvalidFD: (fn) => fn(1 << 30),
  skip,
  skipIf32Bits: () => skip('the engine has 32 bits'),
  skipIfDumbTerminal: nothing,
  skipIfInspectorDisabled: () => skip('there is no inspector'),
  skipIfWorker: nothing,
  checkoutEOL: '\n',
  enoughTestMem: false,
};

module.exports = new Proxy(common, {
  get(target, name) {
    if (!(name in target)) throw new Error(`common.${String(name)} is not part of this harness`);
    return target[name];
  },
});
