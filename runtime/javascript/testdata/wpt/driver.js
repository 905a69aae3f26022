// Runs one test of the web platform: the harness, the scripts that the test names, and the test itself, each as a script
// of the global scope. {report, read} are the host's; path is the test's.
const { report, read, path, variant, title, harness, scripts, long, base } = wpt;
delete globalThis.wpt;
// Scripts would take them for those of a CommonJS module, which does not exist in pages.
delete globalThis.module;
delete globalThis.exports;
const { evalScript, gc } = await import('qjs:std');
const { setTimeout } = globalThis;
const { exit } = process;
const { stringify } = JSON;

const define = (name, value) => {
  Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
};
// What a page or a worker has, and the tests only look at or fetch their own data with.
define('GLOBAL', { isWindow: () => false, isWorker: () => false, isShadowRealm: () => false });
define('Window', Object.getPrototypeOf(globalThis).constructor); // idlharness.js: interfaces of pages are to be here
define('isSecureContext', true);
define('location', new URL(`${base}/${path.replace(/\.js$/, '.html')}${variant}`));
if (title !== '') define('META_TITLE', title);
define('gc', gc);
define('WebAssembly', { // which common/sab.js takes shared buffers from
  Memory: class {
    constructor({ initial, shared }) { this.buffer = new (shared ? SharedArrayBuffer : ArrayBuffer)(initial * 65536); }
  },
});
if (base === 'http://wpt') define('fetch', async (url) => {
  const { pathname } = new URL(url, `http://wpt/${path}`);
  const bytes = read(pathname);
  return {
    ok: true,
    status: 200,
    arrayBuffer: async () => bytes.slice().buffer,
    bytes: async () => bytes.slice(),
    text: async () => new TextDecoder().decode(bytes),
    json: async () => JSON.parse(new TextDecoder().decode(bytes)),
  };
});

// URLs are relative to the page, where there is one: here, only in the tests.
else define('URL', new Proxy(URL, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 1
    ? [args[0], location.href] : args, self),
}));

// A response that nobody can read any more is ended at once. A page takes longer, and some tests rely on that.
if (path.startsWith('fetch/api/abort/')) {
  const { fetch } = globalThis;
  const responses = [];
  define('fetch', (...args) => {
    const made = fetch(...args);
    made.then((response) => { responses.push(response); }, () => {});
    return made;
  });
}

// Many globals are loaded when they are first used, and are accessors until then.
if (path.includes('idlharness')) for (const name of Object.getOwnPropertyNames(globalThis)) void globalThis[name];

evalScript(harness);
const { add_result_callback, add_completion_callback, timeout } = globalThis;
add_result_callback(({ name, status, message }) => { report(stringify([name, status, `${message ?? ''}`])); });
const completed = new Promise((resolve) => { add_completion_callback((tests, status) => { resolve(status); }); });
setTimeout(timeout, base !== 'http://wpt' ? 170000 : long ? 60000 : 10000);
for (const script of scripts) {
  try {
    evalScript(script);
  } catch (error) {
    report(stringify(['(the script)', 1, `${error}`]));
    exit(0);
  }
}
const { status, message } = await completed;
if (status !== 0) report(stringify(['(the harness)', status, `${message ?? ''} (status ${status})`]));
report(stringify(['(done)', 0, '']));
exit(0);
