// Placeholders for modules of Node that are not here. Packages that can do without them load, and only what is used of
// them throws. Other code is told when it requires them.
(function (kernel, require, module) {
  'use strict';
  const network = 'there is no network here';
  const processes = 'there are no other processes and no threads here';
  const engine = 'there is no V8 here';

  // Why a module is not here, its functions, and its classes, of which packages make instances or subclasses while
  // they load.
  const modules = {
    child_process: [processes, '_forkChild exec execFile execFileSync execSync fork spawn spawnSync', 'ChildProcess'],
    cluster: [processes, 'setupPrimary setupMaster fork disconnect', 'Worker'],
    dgram: [network, '_createSocketHandle createSocket', 'Socket'],
    dns: [network, 'lookup lookupService getServers setServers getDefaultResultOrder ' +
      'setDefaultResultOrder resolve resolve4 resolve6 ' +
      'resolveAny resolveCaa resolveCname resolveMx resolveNaptr resolveNs resolvePtr ' +
        'resolveSoa resolveSrv resolveTxt reverse', 'Resolver'],
    domain: ['there are no domains here', 'createDomain create', 'Domain'],
    http2: [network, 'connect createServer createSecureServer getDefaultSettings ' +
      'getPackedSettings getUnpackedSettings performServerHandshake',
      'Http2ServerRequest Http2ServerResponse'],
    inspector: [engine, 'open close url waitForDebugger', 'Session'],
    net: [network, '_normalizeArgs connect createConnection createServer getDefaultAutoSelectFamily ' +
      'setDefaultAutoSelectFamily ' +
      'getDefaultAutoSelectFamilyAttemptTimeout setDefaultAutoSelectFamilyAttemptTimeout',
        'BlockList SocketAddress Server Socket Stream'],
    repl: ['there is no terminal here', 'start writer isValidSyntax', 'REPLServer Recoverable'],
    tls: [network, 'getCiphers convertALPNProtocols checkServerIdentity createSecureContext ' +
      'createServer connect createSecurePair',
      'SecureContext TLSSocket Server'],
    trace_events: [engine, 'createTracing getEnabledCategories', ''],
    tty: ['there is no terminal here', '', 'ReadStream WriteStream'],
    v8: [engine, 'cachedDataVersionTag getHeapSnapshot getHeapStatistics getHeapSpaceStatistics ' +
      'getHeapCodeStatistics deserialize ' +
      'serialize takeCoverage stopCoverage writeHeapSnapshot queryObjects setHeapSnapshotNearHeapLimit',
    'Serializer Deserializer DefaultSerializer DefaultDeserializer GCProfiler'],
    vm: ['there is one global scope here; use eval or new Function',
      'createContext createScript runInContext runInNewContext ' +
      'runInThisContext isContext compileFunction measureMemory', 'Script'],
    wasi: ['there is no WebAssembly here', '', 'WASI'],
    worker_threads: [
      processes, 'markAsUntransferable moveMessagePortToContext receiveMessageOnPort postMessageToThread', 'Worker',
    ],
  };
  modules['dns/promises'] = modules.dns;
  modules['inspector/promises'] = modules.inspector;

  const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
  const isIPv6 = (text) => {
    let [address, zone, more] = String(text).split('%');
    if (more !== undefined || zone === '') return false;
    const tail = address.slice(address.lastIndexOf(':') + 1);
    if (ipv4.test(tail)) address = `${address.slice(0, -tail.length)}0:0`;
    const halves = address.split('::');
    const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
    return groups.every((group) => /^[\da-f]{1,4}$/i.test(group)) &&
      (halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length < 8);
  };

  // What is known without the module's work.
  const more = {
    cluster: {
      isMaster: true, isPrimary: true, isWorker: false, workers: {}, settings: {}, SCHED_NONE: 1, SCHED_RR: 2,
    },
    http2: { constants: {} },
    net: {
      isIP: (text) => (ipv4.test(text) ? 4 : isIPv6(text) ? 6 : 0),
      isIPv4: (text) => ipv4.test(text),
      isIPv6,
    },
    tls: { DEFAULT_MIN_VERSION: 'TLSv1.2', DEFAULT_MAX_VERSION: 'TLSv1.3', rootCertificates: [] },
    tty: { isatty: () => false },
    v8: { setFlagsFromString() {} },
    vm: { constants: {} },
    worker_threads: {
      isMainThread: true, threadId: 0, parentPort: null, workerData: null, resourceLimits: {},
      setEnvironmentData() {}, getEnvironmentData() {},
    },
  };

  const missing = (name, reason) => {
    if (reason === network && kernel.fetchBegin !== undefined) reason = 'use fetch, http or https';
    const error = new Error(`${name} is not available: ${reason}`);
    error.code = 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM';
    return error;
  };

  module.exports = (name) => {
    const [reason, functions, classes] = modules[name];
    const exports = {};
    const words = (text) => text.split(' ').filter(Boolean);
    for (const f of words(functions)) {
      exports[f] = { [f]() { throw missing(`${name}.${f}`, reason); } }[f];
    }
    for (const c of words(classes)) {
      const instead = c === 'Agent' ? function () {} : function () { throw missing(`${name}.${c}`, reason); };
      Object.defineProperty(instead, 'name', { value: c });
      exports[c] = instead;
    }
    if (exports.Agent) exports.globalAgent = new exports.Agent();
    Object.assign(exports, more[name]);
    if (name === 'worker_threads') {
      for (const global of ['MessageChannel', 'MessagePort', 'BroadcastChannel']) {
        Object.defineProperty(exports, global, { get: () => globalThis[global], enumerable: true, configurable: true });
      }
    }
    if (name === 'dns') Object.defineProperty(exports, 'promises',
      { get: () => kernel.builtin('absent:dns/promises'), enumerable: true });
    return exports;
  };
})
