// quickjs-emscripten with QuickJS-ng: a runtime and a context for each call, in the memory of one WebAssembly instance.
import { newQuickJSWASMModuleFromVariant, shouldInterruptAfterDeadline } from 'quickjs-emscripten-core';
import variant from '@jitl/quickjs-ng-wasmfile-release-sync';

import { asFunction, holder, memoryLimit, packageVersion, timeLimit } from './common.mjs';

const QuickJS = await newQuickJSWASMModuleFromVariant(variant);

function open() {
  const vm = QuickJS.newContext();
  vm.runtime.setMemoryLimit(memoryLimit);
  vm.runtime.setInterruptHandler(shouldInterruptAfterDeadline(Date.now() + timeLimit));
  const timers = new Map();
  const define = (object, name, f) => vm.newFunction(name, f).consume((handle) => vm.setProp(object, name, handle));
  const entries = [];
  const console = vm.newObject();
  for (const level of ['log', 'info', 'warn', 'error', 'debug']) {
    define(console, level, (...args) => { entries.push([level, args.map(vm.dump)]); });
  }
  vm.setProp(vm.global, 'console', console);
  console.dispose();
  let ids = 0;
  for (const [set, clear, repeats] of [['setTimeout', 'clearTimeout', false], ['setInterval', 'clearInterval', true]]) {
    define(vm.global, set, (callback, delay) => {
      const id = ++ids, f = callback.dup();
      const fire = () => {
        vm.callFunction(f, vm.undefined).dispose();
        vm.runtime.executePendingJobs();
        if (!repeats) end(id);
      };
      timers.set(id, { timer: (repeats ? setInterval : setTimeout)(fire, vm.getNumber(delay)), f });
      return vm.newNumber(id);
    });
    define(vm.global, clear, (id) => { end(vm.getNumber(id)); });
  }
  function end(id) {
    const entry = timers.get(id);
    if (!entry) return;
    clearTimeout(entry.timer);
    entry.f.dispose();
    timers.delete(id);
  }
  return {
    eval: (source) => vm.unwrapResult(vm.evalCode(source)).consume((handle) => vm.getString(handle)),
    run: (source) => {
      vm.unwrapResult(vm.evalCode(source)).dispose();
      vm.runtime.executePendingJobs();
    },
    close() {
      for (const id of timers.keys()) end(id);
      vm.dispose();
    },
  };
}

export default {
  version: `${packageVersion('quickjs-emscripten-core')}, Node ${process.version}`,
  call(body, library) {
    const vm = open();
    try {
      if (library) vm.run(library);
      return vm.eval(asFunction(body));
    } finally {
      vm.close();
    }
  },
  hold(body) {
    const vm = open();
    if (body) vm.run(holder(body));
    return () => vm.close();
  },
  program(sources, expression) {
    const vm = open();
    for (const source of sources) vm.run(source);
    return Object.assign(() => vm.eval(expression), { end: () => vm.close() });
  },
};
