// The class Console, which writes to streams what Node's console would. The global console does not use it.
(function (kernel, require, module, exports) {
  'use strict';
  const { define, ERR_INVALID_ARG_VALUE } = require('internal/errors');
  const { validateObject, validateInteger } = require('internal/validators');
  const { inspect, formatWithOptions } = require('internal/inspect');
  define('ERR_CONSOLE_WRITABLE_STREAM', TypeError, (name) => `Console expects a writable stream instance for ${name}`);
  define('ERR_INCOMPATIBLE_OPTION_PAIR', TypeError,
    (a, b) => `Option "${a}" cannot be used in combination with option "${b}"`);
  const { ERR_CONSOLE_WRITABLE_STREAM, ERR_INCOMPATIBLE_OPTION_PAIR } = require('internal/errors');
  const states = kernel.slot('Console');
  const nothing = () => {};

  function Console(options, ...rest) {
    if (new.target === undefined) return Reflect.construct(Console, [options, ...rest]);
    if (!options || typeof options.write === 'function')
      options = { stdout: options, stderr: rest[0], ignoreErrors: rest[1] };
    const {
      stdout, stderr = stdout, ignoreErrors = true, colorMode = 'auto', inspectOptions, groupIndentation = 2,
    } = options;
    if (typeof stdout?.write !== 'function') throw ERR_CONSOLE_WRITABLE_STREAM('stdout');
    if (typeof stderr?.write !== 'function') throw ERR_CONSOLE_WRITABLE_STREAM('stderr');
    if (typeof colorMode !== 'boolean' && colorMode !== 'auto')
      throw ERR_INVALID_ARG_VALUE('colorMode', colorMode, "must be one of: 'auto', true, false");
    validateInteger(groupIndentation, 'groupIndentation', 0, 1000);
    if (inspectOptions !== undefined) {
      validateObject(inspectOptions, 'options.inspectOptions');
      if (inspectOptions.colors !== undefined && options.colorMode !== undefined) {
        throw ERR_INCOMPATIBLE_OPTION_PAIR('options.inspectOptions.color', 'colorMode');
      }
    }
    states.set(this, { stdout, stderr, ignoreErrors, colorMode, inspectOptions, step: groupIndentation,
      indent: '', counts: new Map(), timers: new Map() });
    for (const name of Object.keys(Console.prototype)) { // they can be passed on without the console
      const bound = this[name].bind(this);
      Object.defineProperty(bound, 'name', { value: name, configurable: true });
      Object.defineProperty(this, name, { value: bound, writable: true, enumerable: true, configurable: true });
    }
  }
  Object.defineProperty(Console, Symbol.hasInstance,
    { value: (object) => object === console || states.get(object) !== undefined });

  const optionsFor = ({ colorMode, inspectOptions }, stream) => {
    const colors = colorMode === 'auto'
      ? !!stream.isTTY && (typeof stream.getColorDepth !== 'function' || stream.getColorDepth() > 2) : colorMode;
    return { colors, ...inspectOptions };
  };
  const write = (state, stream, text) => {
    if (state.indent !== '') text = state.indent + text.replaceAll('\n', `\n${state.indent}`);
    text += '\n';
    if (!state.ignoreErrors) {
      stream.write(text);
      return;
    }
    const alone = typeof stream.once === 'function' && stream.listenerCount?.('error') === 0;
    if (alone) stream.once('error', nothing);
    try {
      stream.write(text, (error) => {
        if (error && typeof stream.once === 'function' && stream.listenerCount('error') === 0)
          stream.once('error', nothing);
      });
    } catch (error) {
      if (error instanceof RangeError && error.message === 'Maximum call stack size exceeded') throw error;
    } finally {
      if (alone) stream.removeListener('error', nothing);
    }
  };
  const print = (self, name, args) => {
    const state = states.of(self);
    write(state, state[name], formatWithOptions(optionsFor(state, state[name]), ...args));
  };

  const logTime = (self, method, label, args) => {
    const { timers } = states.of(self);
    label = `${label}`;
    if (!timers.has(label)) {
      process.emitWarning(`No such label '${label}' for console.${method}()`);
      return false;
    }
    const passed = kernel.duration(performance.now() - timers.get(label));
    if (args.length > 0) self.log('%s: %s', label, passed, ...args);
    else self.log('%s: %s', label, passed);
    return true;
  };

  const methods = {
    log(...args) { print(this, 'stdout', args); },
    warn(...args) { print(this, 'stderr', args); },
    error(...args) { print(this, 'stderr', args); },
    dir(object, options) {
      const state = states.of(this);
      write(state, state.stdout,
        inspect(object, { customInspect: false, ...optionsFor(state, state.stdout), ...options }));
    },
    time(label = 'default') {
      const { timers } = states.of(this);
      label = `${label}`;
      if (timers.has(label)) process.emitWarning(`Label '${label}' already exists for console.time()`);
      else timers.set(label, performance.now());
    },
    timeEnd(label = 'default') {
      if (logTime(this, 'timeEnd', label, [])) states.of(this).timers.delete(`${label}`);
    },
    timeLog(label = 'default', ...args) { logTime(this, 'timeLog', label, args); },
    trace(...args) {
      const error = new Error(formatWithOptions(optionsFor(states.of(this), states.of(this).stderr), ...args));
      error.name = 'Trace';
      const frames = error.stack.split('\n').filter((line) => /^\s+at /.test(line)).slice(1);
      this.error(`Trace${error.message === '' ? '' : `: ${error.message}`}\n${frames.join('\n')}`);
    },
    assert(condition, ...args) {
      if (condition) return;
      if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
      else args.unshift(`Assertion failed${args.length > 0 ? ':' : ''}`);
      this.warn(...args);
    },
    clear() {
      const { stdout } = states.of(this);
      if (stdout.isTTY && process.env.TERM !== 'dumb') stdout.write('\u001b[1;1H\u001b[0J');
    },
    count(label = 'default') {
      const { counts } = states.of(this);
      label = `${label}`;
      counts.set(label, (counts.get(label) ?? 0) + 1);
      this.log(`${label}: ${counts.get(label)}`);
    },
    countReset(label = 'default') {
      if (!states.of(this).counts.delete(`${label}`)) process.emitWarning(`Count for '${label}' does not exist`);
    },
    group(...args) {
      if (args.length > 0) this.log(...args);
      const state = states.of(this);
      state.indent += ' '.repeat(state.step);
    },
    groupEnd() {
      const state = states.of(this);
      state.indent = state.indent.slice(state.step);
    },
    table(data, columns) {
      if (columns !== undefined && !Array.isArray(columns))
        require('internal/validators').validateArray(columns, 'properties');
      const text = kernel.table(data, columns);
      if (text === undefined) this.log(data);
      else this.log(text);
    },
  };
  Object.assign(Console.prototype, methods, {
    debug: methods.log, info: methods.log, dirxml: methods.log, groupCollapsed: methods.group,
  });
  exports.Console = Console;
})
