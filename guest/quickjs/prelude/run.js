// How a run starts and ends.
(function (kernel) {
  'use strict';
  const { host, ops, then, format, isError, text, slice } = kernel;
  const { WARN } = kernel.levels;
  const sourceOf = kernel.uncurry(Function.prototype.toString);

  // fail tells the host that the script has ended with an exception: how it reads, and what it is.
  kernel.fail = (error) => {
    // Where native code fails without making an exception, as normalize does for want of memory, what is thrown is no value at all.
    let details = error === null || typeof error === 'unknown' ? '{"kind":"null"' : '{"kind":"other"';
    if (isError(error)) {
      details = `{"kind":"error"${detail('name', text(error, 'name') ?? 'Error')}` +
        detail('message', kernel.messageOf(error)) + detail('stack', kernel.stackOf(error));
    }
    host(ops.finish, 1, format(error), `${details}}`);
  };
  // Objects would not do: the engine keeps those that it makes JSON of in an array that can have setters.
  const detail = (name, value) => `,"${name}":${kernel.stringify(slice(value, 0, maxDetail))}`;
  const maxDetail = 65536;

  // succeed tells the host the script's result: how it reads, and what it is as data. Often the one is the JSON of the other. If that
  // is too long, so that the host sees only a part of it, it still wants the data by itself.
  const succeed = (value) => {
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

  // start runs the script, an async function. If it returns nothing, what it exports as a CommonJS module is its result.
  kernel.start = (script, details) => {
    kernel.mark = details.mark;
    kernel.forgetOrigin();
    const exported = kernel.startMain(details.name);
    then(script(), (value) => { succeed(value === undefined ? exported() : value); }, kernel.fail);
  };

  // startModule runs a script that is an ES module, whose result is what it exports as its default.
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
