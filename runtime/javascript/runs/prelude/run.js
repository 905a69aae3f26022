// How a run starts and ends.
(function (kernel) {
  'use strict';
  const { host, apply, then, format, isError, isPlain, text, slice } = kernel;
  const { WARN, ERROR } = kernel.levels;
  const { hasOwn, getOwnPropertyDescriptor: ownProperty } = Object;
  const { isArray } = Array;
  const { ownKeys } = Reflect;
  const sourceOf = kernel.uncurry(Function.prototype.toString);

  // fail reports to the host that the script has ended with an exception.
  kernel.fail = (error) => {
    kernel.ending();
    report(1, '', error);
  };
  const failed = (error) => {
    if (kernel.caught?.(error, 'uncaughtException')) succeed(undefined);
    else kernel.fail(error);
  };

  // Errors that the script can no longer catch, thrown by a callback or the reason of a rejection, end the run, unless
  // process has a listener for them.
  kernel.end = (error) => { report(2, 'Uncaught ', error); };
  kernel.uncaught = (error) => { if (!kernel.caught?.(error, 'uncaughtException')) kernel.end(error); };
  kernel.rejected = (reason, promise) => {
    if (reason === left) return;
    kernel.context = kernel.rejectedIn?.(promise);
    if (!kernel.caught?.(reason, 'unhandledRejection', promise)) report(2, 'Uncaught (in promise) ', reason);
  };

  // report tells the host the text and the parts of an exception.
  const report = (status, before, error) => {
    // If native code fails without making an exception, as normalize does without memory, the thrown value has no type.
    let kind = error === null || typeof error === 'unknown' ? 'null' : 'other';
    let name, message, stack;
    if (isError(error)) {
      kind = 'error';
      name = slice(text(error, 'name') ?? 'Error', 0, maxDetail);
      message = slice(text(error, 'message') ?? '', 0, maxDetail);
      stack = slice(kernel.stackOf(error), 0, maxDetail);
    }
    host('run.finish', status, before + format(error), kind, name, message, stack);
  };
  const maxDetail = 65536;

  // succeed reports the script's result to the host: its text, and its data as JSON. Often the text is that JSON. If
  // the text is too long and the host has cut it, the host still needs the data separately.
  const succeed = (value) => {
    kernel.ending();
    const details = { __proto__: null, json: false, promises: false };
    const text = format(value, details);
    if (details.promises) {
      host('console.log', WARN, 'The result has promises in it. To get their values, write: ' +
        'return await Promise.all(promises)');
    }
    if (!details.json || host('run.finish', 0, text, true) === false) {
      let data = {};
      try {
        data = kernel.encode(value);
      } catch { /* cycles: there is no data, only the text */ }
      host('run.finish', 0, text, data.json, data.buffer);
    }
    kernel.returned = true;
  };

  // The value of the script's last expression comes as the only property, named details.last, of an object that is
  // returned. It is not the result, unless it is a function that is all of the script, which is called.
  let last;
  let exportsNothing = false; // the script is a module
  const returned = (value, details) => {
    if (details.last === undefined || typeof value !== 'object' || value === null ||
      !isPlain(value) || !hasOwn(value, details.last)) return value;
    last = value[details.last];
    if (!details.call || typeof last !== 'function') return undefined;
    const call = last;
    last = undefined;
    return apply(call, undefined, []);
  };
  const stateOf = (value) => (typeof value === 'object' && value !== null ? host('promise.state', value) : -1);
  kernel.dropped = () => {
    const value = last;
    last = undefined;
    if (exportsNothing) return 4;
    const state = stateOf(value);
    if (state >= 0) return state === 1 && kernel.inside(value) !== undefined ? 2 : 0;
    if (isArray(value) && isPlain(value) && stateOf(ownProperty(value, 0)?.value) >= 0) return 5;
    return value === undefined ? 0 : typeof value === 'function' ? 3 : 1;
  };

  // conclude ends the script with what it returns or else exports.
  const conclude = (promise, details, exported) => {
    const done = (value) => {
      if (value !== undefined) succeed(value);
      else finish(exported(), 'return await module.exports()');
    };
    then(promise, (value) => {
      if (details.call) then(settled(returned(value, details)), done, failed);
      else done(returned(value, details));
    }, failed);
    kernel.endTurn();
  };

  // start runs the script, an async function. If it returns nothing, its CommonJS exports are the result.
  kernel.start = (script, details) => {
    kernel.mark = details.mark;
    kernel.forgetOrigin();
    kernel.turn = 1;
    const { main } = kernel;
    const exported = kernel.startMain(details.name);
    conclude(apply(script, main.exports, []), details, exported);
  };

  // startTop prepares for a script of a session, which goes on where others have ended. endTop gets the promise of its
  // result.
  kernel.startTop = (details) => {
    kernel.mark = details.mark;
    kernel.session = true;
    kernel.returned = false;
    kernel.forgetOrigin();
    kernel.main.exports = {};
    exported = kernel.startMain(details.name);
  };
  kernel.endTop = (promise, details) => { conclude(promise, details, exported); };
  let exported;

  // startModule runs a script that is an ES module. Its default export is the result.
  kernel.startModule = (details) => {
    kernel.forgetOrigin();
    kernel.turn = 1;
    then(import(details.module), (namespace) => {
      exportsNothing = ownKeys(namespace).length === 1; // Symbol.toStringTag
      then(settled(namespace.default), (value) => { finish(value, 'export default await main()'); }, failed);
    }, failed);
  };
  const settled = async (value) => value;
  const finish = (value, call) => {
    if (typeof value === 'function' && slice(sourceOf(value), 0, 5) !== 'class') {
      host('console.log', WARN,
        `The result is a function, which was not called. To get what it returns, write: ${call}`);
    }
    succeed(value);
  };

  // What halt and process.exit throw in a library, which ends nothing else. The host makes it impossible to catch.
  const left = new kernel.Error('the library has ended');
  kernel.leave = (op, value) => {
    host(op, value, left); // returns in a library only
    throw left;
  };
  kernel.define('halt', function halt(message = 'Halted') { kernel.leave('run.halt', kernel.String(message)); });
  kernel.failed = (error) => { if (error !== left) host('console.log', ERROR, format(error)); };
})
