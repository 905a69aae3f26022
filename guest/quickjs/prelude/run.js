// How a run starts and ends.
(function (kernel) {
  'use strict';
  const { host, ops, then, format, isError, text, slice } = kernel;
  const { WARN } = kernel.levels;
  const sourceOf = kernel.uncurry(Function.prototype.toString);

  // fail reports to the host that the script has ended with an exception: its text and its parts.
  kernel.fail = (error) => {
    kernel.ending();
    // If native code fails without making an exception, as normalize does without memory, the thrown value has no type.
    let details = error === null || typeof error === 'unknown' ? '{"kind":"null"' : '{"kind":"other"';
    if (isError(error)) {
      details = `{"kind":"error"${detail('name', text(error, 'name') ?? 'Error')}` +
        detail('message', kernel.messageOf(error)) + detail('stack', kernel.stackOf(error));
    }
    host(ops.finish, 1, format(error), `${details}}`);
  };
  // Not JSON.stringify of an object: the engine keeps the objects that it visits in an array, which can have setters.
  const detail = (name, value) => `,"${name}":${kernel.stringify(slice(value, 0, maxDetail))}`;
  const maxDetail = 65536;

  // succeed reports the script's result to the host: its text, and its data as JSON. Often the text is that JSON. If
  // the text is too long and the host has cut it, the host still needs the data separately.
  const succeed = (value) => {
    kernel.ending();
    const details = { __proto__: null, json: false };
    const text = format(value, details);
    if (!details.json || host(ops.finish, 0, text, true) === false) {
      let data = {};
      try {
        data = kernel.encode(value);
      } catch { /* cycles: there is no data, only the text */ }
      host(ops.finish, 0, text, data.json, data.buffer);
    }
    kernel.returned = true;
  };

  // start runs the script, an async function. If it returns nothing, its CommonJS exports are the result.
  kernel.start = (script, details) => {
    kernel.mark = details.mark;
    kernel.forgetOrigin();
    const exported = kernel.startMain(details.name);
    then(script(), (value) => { succeed(value === undefined ? exported() : value); }, kernel.fail);
  };

  // startModule runs a script that is an ES module. Its default export is the result.
  kernel.startModule = (details) => {
    kernel.forgetOrigin();
    then(import(details.module), (namespace) => { then(settled(namespace.default), finish, kernel.fail); }, kernel.fail);
  };
  const settled = async (value) => value;
  const finish = (value) => {
    if (typeof value === 'function' && slice(sourceOf(value), 0, 5) !== 'class') {
      host(ops.log, WARN, 'The result is a function, which was not called. To get what it returns, write: export default await main()');
    }
    succeed(value);
  };

  kernel.define('halt', function halt(message = 'Halted') { host(ops.halt, kernel.String(message)); });
})
