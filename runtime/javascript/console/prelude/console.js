// The console. Every entry goes to the host as a level and a text.
(function (kernel) {
  'use strict';
  const { host, format, now, indexOf, slice, stringify } = kernel;
  const { Number, parseInt, parseFloat } = globalThis;
  const { LOG, INFO, WARN, ERROR, DEBUG } = kernel.levels;

  let groups = '';
  const counts = { __proto__: null };
  const timers = { __proto__: null };

  // line puts the arguments of a call together. A text that comes first may have places for others, as in Node.
  const line = (args) => {
    let text = '';
    let i = 0;
    if (args.length > 1 && typeof args[0] === 'string' && indexOf(args[0], '%') >= 0) {
      const pattern = args[i++];
      let begin = 0;
      for (let at = 0; at + 1 < pattern.length; at++) {
        if (pattern[at] !== '%') continue;
        const filled = pattern[at + 1] === '%' ? '%' : i < args.length ? fill(pattern[at + 1], args[i]) : undefined;
        if (filled === undefined) continue;
        if (pattern[at + 1] !== '%') i++;
        text += slice(pattern, begin, at) + filled;
        begin = ++at + 1;
      }
      text += slice(pattern, begin);
    }
    for (; i < args.length; i++) text += (i ? ' ' : '') + format(args[i]);
    return text;
  };

  // fill returns the text for a place of a kind, or undefined if there is no such kind.
  const fill = (kind, value) => {
    switch (kind) {
      case 's': case 'o': case 'O': return format(value);
      case 'j':
        try { return stringify(value) ?? 'undefined'; } catch { return '[Circular]'; }
      case 'c': return ''; // a style
      case 'd': return number(value, Number);
      case 'i': return number(value, parseInt);
      case 'f': return number(value, parseFloat);
      default: return undefined;
    }
  };
  const number = (value, convert) => {
    if (typeof value === 'symbol') return 'NaN';
    return format(typeof value === 'bigint' ? value : convert(value));
  };
  const indented = (text) => {
    if (groups === '') return text;
    let out = groups;
    for (let i = 0; i < text.length; i++) out += text[i] === '\n' ? `\n${groups}` : text[i];
    return out;
  };
  // Where a script has replaced the methods of process.stdout or process.stderr, kernel.redirected writes through them.
  const write = (level, text) => {
    if (!kernel.redirected?.(level, [text], groups)) host('console.log', level, indented(text));
  };
  const print = (level, args) => {
    if (!kernel.redirected?.(level, args, groups)) host('console.log', level, indented(line(args)));
  };
  const label = (value) => (value === undefined ? 'default' : `${value}`);
  const toFixed = kernel.uncurry(Number.prototype.toFixed);
  const two = (n) => (n < 10 ? `0${n}` : n);
  // duration returns the text for a number of milliseconds, as in Node.
  kernel.duration = (ms) => {
    if (ms < 1000) return `${+toFixed(ms, 3)}ms`;
    if (ms < 60000) return `${toFixed(ms / 1000, 3)}s`;
    const hours = (ms / 3600000) | 0;
    const minutes = (ms % 3600000 / 60000) | 0;
    const seconds = ms % 60000 / 1000;
    const rest = (seconds < 10 ? '0' : '') + toFixed(seconds, 3);
    return hours > 0 ? `${hours}:${two(minutes)}:${rest} (h:mm:ss.mmm)` : `${minutes}:${rest} (m:ss.mmm)`;
  };
  const logTime = (name, args) => {
    if (name in timers) write(LOG,
      `${name}: ${kernel.duration(now() - timers[name])}${args.length ? ` ${line(args)}` : ''}`);
    else write(WARN, `Timer '${name}' does not exist`);
  };
  const group = (args) => {
    if (args.length) print(LOG, args);
    groups += '  ';
  };

  const console = {
    log(...args) { print(LOG, args); },
    info(...args) { print(INFO, args); },
    warn(...args) { print(WARN, args); },
    error(...args) { print(ERROR, args); },
    debug(...args) { print(DEBUG, args); },
    dir(value) { print(LOG, [value]); },
    dirxml(...args) { print(LOG, args); },
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
    clear() {
      groups = '';
      kernel.redirected?.(LOG);
    },
    group(...args) { group(args); },
    groupCollapsed(...args) { group(args); },
    groupEnd() { groups = kernel.slice(groups, 2); },
  };
  // Not enumerable, since what imports the console by name would load it.
  const { Console } = Object.getOwnPropertyDescriptors({ get Console() {
    return kernel.builtin('internal/console').Console;
  } });
  kernel.defineProperty(console, 'Console', {
    __proto__: null, get: Console.get, enumerable: false, configurable: true,
  });
  kernel.define('console', console);
})
