// process: the little of Node's that scripts use without thinking. It looks as it does in web browsers where libraries
// bring it along, so that none takes this for Node: there is no version and no platform.
(function (kernel) {
  'use strict';
  const { host, ops, later, TypeError } = kernel;
  const { LOG, ERROR } = kernel.levels;

  const stream = (level) => ({
    isTTY: false,
    // write puts text on the console. A line that is not ended goes on with the next write.
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
