// readline/promises
(function (kernel, require, module, exports) {
  'use strict';
  const readline = require('readline');
  const cursor = require('internal/readline/cursor');
  const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
  const { validateBoolean } = require('internal/validators');
  const ask = readline.Interface.prototype.question[Symbol.for('nodejs.util.promisify.custom')];

  exports.Interface = class Interface extends readline.Interface {
    async question(query, options) { return Reflect.apply(ask, this, [query, options]); }
  };
  // A completer may give a promise.
  Object.defineProperty(exports.Interface.prototype, 'completion', {
    value: (completer) => (line, callback) => {
      (async () => completer(line))().then((found) => { callback(null, found); }, callback);
    },
    writable: true, configurable: true,
  });
  exports.createInterface = (...args) => new exports.Interface(...args);

  // A Readline collects what moves the cursor until commit.
  exports.Readline = class Readline {
    #stream;
    #autoCommit;
    #todo = [];
    constructor(stream, options) {
      if (typeof stream?.write !== 'function' || typeof stream.on !== 'function')
        throw ERR_INVALID_ARG_TYPE('stream', 'Writable', stream);
      if (options?.autoCommit != null) validateBoolean(options.autoCommit, 'options.autoCommit');
      this.#stream = stream;
      this.#autoCommit = options?.autoCommit === true;
    }
    #add(name, args) {
      const act = () => { cursor[name](this.#stream, ...args); };
      if (this.#autoCommit) require('process').nextTick(act);
      else this.#todo.push(act);
      return this;
    }
    cursorTo(x, y) { return this.#add('cursorTo', [x, y]); }
    moveCursor(dx, dy) { return this.#add('moveCursor', [dx, dy]); }
    clearLine(direction) { return this.#add('clearLine', [direction]); }
    clearScreenDown() { return this.#add('clearScreenDown', []); }
    async commit() { for (const act of this.#todo.splice(0)) act(); }
    rollback() {
      this.#todo = [];
      return this;
    }
  };
})
