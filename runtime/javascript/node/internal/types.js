// What kind an object really is, whatever its prototype says.
(function (kernel, require, module, exports) {
  'use strict';
  const { host, uncurry, getter } = kernel;
  const classOf = (value) => host('value.class', value);

  // is makes a check for the classes of some samples.
  const is = (...samples) => {
    const classes = samples.map(classOf);
    return (value) => typeof value === 'object' && value !== null && classes.includes(classOf(value));
  };
  const isFunctionLike = (...samples) => {
    const classes = samples.map(classOf);
    return (value) => typeof value === 'function' && classes.includes(classOf(value));
  };
  const buffer = new ArrayBuffer(8);
  const arrays = [Uint8Array, Uint8ClampedArray, Uint16Array, Uint32Array, Int8Array,
    Int16Array, Int32Array, Float32Array, Float64Array,
    BigInt64Array, BigUint64Array];

  exports.isArgumentsObject = is((function () { return arguments; })(), new Function('a', 'return arguments')(1));
  exports.isDate = is(new Date(0)); // without looking at the clock, so that an image can be kept
  exports.isRegExp = is(/x/);
  exports.isMap = is(new Map());
  exports.isSet = is(new Set());
  exports.isWeakMap = is(new WeakMap());
  exports.isWeakSet = is(new WeakSet());
  exports.isMapIterator = is(new Map().keys());
  exports.isSetIterator = is(new Set().keys());
  exports.isPromise = is(Promise.resolve());
  exports.isGeneratorObject = is((function* () {})(), (async function* () {})());
  exports.isArrayBuffer = is(buffer);
  exports.isSharedArrayBuffer = is(new SharedArrayBuffer(1));
  exports.isAnyArrayBuffer = is(buffer, new SharedArrayBuffer(1));
  exports.isDataView = is(new DataView(buffer));
  exports.isNativeError = (value) => Error.isError(value);
  exports.isNumberObject = is(Object(1));
  exports.isStringObject = is(Object(''));
  exports.isBooleanObject = is(Object(true));
  exports.isBigIntObject = is(Object(1n));
  exports.isSymbolObject = is(Object(Symbol()));
  exports.isBoxedPrimitive = is(Object(1), Object(''), Object(true), Object(1n), Object(Symbol()));
  const proxies = classOf(new Proxy({}, {}));
  exports.isProxy = (value) => classOf(value) === proxies;
  exports.isModuleNamespaceObject = (value) => (
    typeof value === 'object' && value !== null && !exports.isProxy(value) && value[Symbol.toStringTag] === 'Module' &&
    Object.getPrototypeOf(value) === null && !Object.isExtensible(value));
  exports.isAsyncFunction = isFunctionLike(async () => {}, async function* () {});
  exports.isGeneratorFunction = isFunctionLike(function* () {}, async function* () {});
  exports.isExternal = () => false;
  // there are none before crypto is loaded
  exports.isCryptoKey = (value) => kernel.cryptoKeys?.isCryptoKey(value) ?? false;
  exports.isKeyObject = (value) => kernel.cryptoKeys?.isKeyObject(value) ?? false;
  exports.isArrayBufferView = ArrayBuffer.isView;
  exports.isTypedArray = is(...arrays.map((Type) => new Type()),
    ...(typeof Float16Array === 'function' ? [new Float16Array()] : []));
  for (const Type of arrays) exports[`is${Type.name}`] = is(new Type());
  if (typeof Float16Array === 'function') exports.isFloat16Array = is(new Float16Array());

  // What other modules need, but users do not get.
  const hidden = (name, value) => { Object.defineProperty(exports, name, { value }); };
  hidden('typedArrayName', kernel.typedArrayName);
  hidden('sizeOfMap', kernel.mapSize);
  hidden('sizeOfSet', kernel.setSize);
  hidden('eachOfMap', kernel.mapEach);
  hidden('eachOfSet', kernel.setEach);
  hidden('timeOf', uncurry(Date.prototype.getTime));
  hidden('viewBytes', getter(Object.getPrototypeOf(Uint8Array.prototype), 'byteLength'));
  const states = ['pending', 'fulfilled', 'rejected'];
  hidden('promiseState', (promise) => {
    const state = states[host('promise.state', promise)] ?? 'pending';
    return { state, result: state === 'pending' ? undefined : kernel.inside(promise) };
  });
  // proxyParts returns [target, handler], which are null for a proxy that is revoked.
  hidden('proxyParts', (proxy) => [kernel.inside(proxy, 0), kernel.inside(proxy, 1)]);
  const boxes = [['isNumberObject', Number], ['isStringObject', String], ['isBooleanObject', Boolean],
    ['isBigIntObject', BigInt],
    ['isSymbolObject', Symbol]].map(([check, Type]) => [exports[check], Type.name, uncurry(Type.prototype.valueOf)]);
  hidden('unboxed', (value) => {
    for (const [check, name, valueOf] of boxes) if (check(value)) return [name, valueOf(value)];
    return undefined;
  });
  hidden('builtinNames',
    new Set(Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z][a-zA-Z0-9]+$/.test(name))));
})
