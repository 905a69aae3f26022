// The console. Every entry goes to the host as a level and a text.
(function (kernel) {
  'use strict';
  const { host, ops, format, String, now } = kernel;
  const { LOG, INFO, WARN, ERROR, DEBUG } = kernel.levels;

  let groups = '';
  const counts = { __proto__: null };
  const timers = { __proto__: null };

  const line = (args) => {
    let text = '';
    for (let i = 0; i < args.length; i++) text += (i ? ' ' : '') + format(args[i]);
    return text;
  };
  const indented = (text) => {
    if (groups === '') return text;
    let out = groups;
    for (let i = 0; i < text.length; i++) out += text[i] === '\n' ? `\n${groups}` : text[i];
    return out;
  };
  const write = (level, text) => { host(ops.log, level, indented(text)); };
  const label = (value) => (value === undefined ? 'default' : String(value));
  const toFixed = kernel.uncurry(Number.prototype.toFixed);
  const logTime = (name, args) => {
    if (name in timers) write(LOG, `${name}: ${toFixed(now() - timers[name], 3)} ms${args.length ? ` ${line(args)}` : ''}`);
    else write(WARN, `Timer '${name}' does not exist`);
  };
  const group = (args) => {
    if (args.length) write(LOG, line(args));
    groups += '  ';
  };

  // Errors that the script can no longer catch: thrown in a timer, or the reason of a rejection.
  kernel.uncaught = (error) => { host(ops.log, ERROR, `Uncaught ${format(error)}`); };
  kernel.failed = (error) => { host(ops.log, ERROR, format(error)); };
  kernel.rejected = (reason) => { host(ops.log, ERROR, `Uncaught (in promise) ${format(reason)}`); };

  const console = {
    log(...args) { write(LOG, line(args)); },
    info(...args) { write(INFO, line(args)); },
    warn(...args) { write(WARN, line(args)); },
    error(...args) { write(ERROR, line(args)); },
    debug(...args) { write(DEBUG, line(args)); },
    dir(value) { write(LOG, format(value)); },
    dirxml(...args) { write(LOG, line(args)); },
    trace(...args) {
      write(DEBUG, `Trace${args.length ? `: ${line(args)}` : ''}${kernel.stackOf(new kernel.Error())}`);
    },
    assert(condition, ...args) {
      if (!condition) write(ERROR, `Assertion failed${args.length ? `: ${line(args)}` : ''}`);
    },
    count(name) {
      name = label(name);
      counts[name] = (counts[name] ?? 0) + 1;
      write(LOG, `${name}: ${counts[name]}`);
    },
    countReset(name) {
      name = label(name);
      if (name in counts) delete counts[name];
      else write(WARN, `Count for '${name}' does not exist`);
    },
    time(name) {
      name = label(name);
      if (name in timers) write(WARN, `Timer '${name}' already exists`);
      else timers[name] = now();
    },
    timeLog(name, ...args) { logTime(label(name), args); },
    timeEnd(name) {
      name = label(name);
      logTime(name, []);
      delete timers[name];
    },
    table(data, columns) { write(LOG, kernel.table(data, columns) ?? format(data)); },
    clear() { groups = ''; },
    group(...args) { group(args); },
    groupCollapsed(...args) { group(args); },
    groupEnd() { groups = kernel.slice(groups, 2); },
  };
  kernel.define('console', console);
})
