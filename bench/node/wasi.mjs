// quickjs-wasi: an instance of a WebAssembly module that is compiled once for each call.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { QuickJS } from 'quickjs-wasi';

import { asFunction, holder, memoryLimit, packageVersion, timeLimit } from './common.mjs';

const wasm = await WebAssembly.compile(
  readFileSync(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')));

function options() {
  const deadline = Date.now() + timeLimit;
  return { wasm, memoryLimit, interruptHandler: () => Date.now() > deadline };
}

// hosts are the functions that the console and timers need of the host, by name.
function hosts(vm, entries, timers) {
  return {
    hostLog: (level, text) => { entries.push([level.toString(), text.toString()]); },
    hostSetTimer: (id, delay, fire) => {
      const f = fire.dup();
      timers.set(id.toNumber(), setTimeout(() => {
        vm.callFunction(f, vm.undefined).dispose();
        f.dispose();
        vm.executePendingJobs();
      }, delay.toNumber()));
    },
    hostClearTimer: (id) => { clearTimeout(timers.get(id.toNumber())); timers.delete(id.toNumber()); },
  };
}

const polyfills = `{
  const { hostLog, hostSetTimer, hostClearTimer } = globalThis;
  globalThis.console = {};
  for (const level of ['log', 'info', 'warn', 'error', 'debug'])
    console[level] = (...args) => hostLog(level, args.map(String).join(' '));
  let ids = 0;
  globalThis.setTimeout = (f, delay, ...args) => {
    hostSetTimer(++ids, Number(delay) || 0, () => f(...args));
    return ids;
  };
  globalThis.setInterval = (f, delay, ...args) => {
    const id = ++ids, again = () => { hostSetTimer(id, Number(delay) || 0, again); f(...args) };
    hostSetTimer(id, Number(delay) || 0, again);
    return id;
  };
  globalThis.clearTimeout = globalThis.clearInterval = (id) => hostClearTimer(Number(id));
}`;

// open makes a sandbox, out of a snapshot if there is one.
export async function open(snapshot) {
  const vm = snapshot ? await QuickJS.restore(snapshot, options()) : await QuickJS.create(options());
  const entries = [], timers = new Map();
  const functions = hosts(vm, entries, timers);
  for (const name of Object.keys(functions)) {
    if (snapshot) vm.registerHostCallback(name, functions[name]);
    else vm.newFunction(name, functions[name]).consume((handle) => vm.setProp(vm.global, name, handle));
  }
  const run = (source) => {
    vm.evalCode(source).dispose();
    vm.executePendingJobs();
  };
  if (!snapshot) run(polyfills);
  return {
    eval: (source) => vm.evalCode(source).consume((handle) => handle.toString()),
    run,
    snapshot: () => vm.snapshot(),
    close() {
      for (const timer of timers.values()) clearTimeout(timer);
      vm.dispose();
    },
  };
}

export const version = `${packageVersion('quickjs-wasi')}, Node ${process.version}`;

export default {
  version,
  async call(body, library) {
    const vm = await open();
    try {
      if (library) vm.run(library);
      return vm.eval(asFunction(body));
    } finally {
      vm.close();
    }
  },
  async hold(body) {
    const vm = await open();
    if (body) vm.run(holder(body));
    return () => vm.close();
  },
  async program(sources, expression) {
    const vm = await open();
    for (const source of sources) vm.run(source);
    return Object.assign(() => vm.eval(expression), { end: () => vm.close() });
  },
};
