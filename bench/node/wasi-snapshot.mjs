// quickjs-wasi with a snapshot, of the polyfills and the library, that is made when they are first used.
import { asFunction, holder } from './common.mjs';
import { open, version } from './wasi.mjs';

const snapshots = new Map();

async function restore(library) {
  if (!snapshots.has(library)) {
    const vm = await open();
    if (library) vm.run(library);
    snapshots.set(library, vm.snapshot());
    vm.close();
  }
  return open(snapshots.get(library));
}

export default {
  version,
  async call(body, library) {
    const vm = await restore(library);
    try {
      return vm.eval(asFunction(body));
    } finally {
      vm.close();
    }
  },
  async hold(body) {
    const vm = await restore('');
    if (body) vm.run(holder(body));
    return () => vm.close();
  },
};
