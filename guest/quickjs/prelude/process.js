// process: the few parts of Node's that scripts use routinely. As in bundles for web browsers, it has no version and no
// platform, so that libraries do not take this for Node.
(function (kernel) {
  'use strict';
  const { host, ops, later, TypeError } = kernel;
  const { LOG, ERROR } = kernel.levels;

  const stream = (level) => ({
    isTTY: false,
    // write prints text to the console. The next write continues an unfinished line.
    write(text, ...rest) {
      if (typeof text !== 'string') throw new TypeError('what is written to the console must be a string');
      host(ops.log, level, text, 1);
      const callback = rest.length > 0 ? rest[rest.length - 1] : undefined;
      if (typeof callback === 'function') later(callback, []);
      return true;
    },
  });

  const process = {
    title: 'browser',
    browser: true,
    version: '',
    versions: {},
    argv: [],
    env: {},
    stdout: stream(LOG),
    stderr: stream(ERROR),
    cwd() { return '/'; },
    exit(status = 0) { host(ops.exit, status | 0); },
    nextTick(callback, ...args) {
      if (typeof callback !== 'function') throw new TypeError('the first argument of process.nextTick must be a function');
      later(callback, args);
    },
  };
  kernel.define('process', process);
  kernel.modules.process = process;
})
