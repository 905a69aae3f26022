// Dir: what opendir gives.
(function (kernel, require, module, exports) {
  'use strict';
  const fs = require('fs');
  const { ERR_MISSING_ARGS } = require('internal/errors');
  const { validateFunction, validateUint32 } = require('internal/validators');

  const fail = (code, message) => { throw Object.assign(new Error(message), { code }); };
  exports.Dir = class Dir {
    #entries;
    #open = true;
    #busy = 0; // operations whose answer is under way
    constructor(path, options) {
      if (path === undefined) throw ERR_MISSING_ARGS('handle');
      if (options?.bufferSize !== undefined) validateUint32(options.bufferSize, 'options.bufferSize', true);
      this.path = path;
      this.#entries = fs.readdirSync(path, { ...options, withFileTypes: true });
    }
    #check(sync) {
      if (!this.#open) fail('ERR_DIR_CLOSED', 'Directory handle was closed');
      if (sync && this.#busy > 0) {
        fail('ERR_DIR_CONCURRENT_OPERATION',
          'Cannot do synchronous work on directory handle with concurrent asynchronous operations');
      }
    }
    #answer(callback, f) {
      if (callback === undefined) {
        return (async () => {
          const value = f();
          this.#busy++;
          await undefined;
          this.#busy--;
          return value;
        })();
      }
      validateFunction(callback, 'callback');
      let values;
      try {
        values = [null, f()];
      } catch (error) {
        values = [error];
      }
      this.#busy++;
      setImmediate(() => {
        this.#busy--;
        callback(...values);
      });
      return undefined;
    }
    #next() {
      this.#check(false);
      return this.#entries.shift() ?? null;
    }
    #close() {
      this.#check(false);
      this.#open = false;
    }
    readSync() {
      this.#check(true);
      return this.#next();
    }
    read(callback) { return this.#answer(callback, () => this.#next()); }
    closeSync() {
      this.#check(true);
      this.#close();
    }
    close(callback) { return this.#answer(callback, () => this.#close()); }
    async* entries() {
      try {
        for (let entry = this.#next(); entry !== null; entry = this.#next()) yield entry;
      } finally {
        this.#close();
      }
    }
    [Symbol.asyncIterator]() { return this.entries(); }
  };
})
