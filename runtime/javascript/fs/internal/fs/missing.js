// What Node's fs has and this one has not: links, owners, and setting of modes and times. The functions check their
// arguments as Node's do, and say what there is instead.
(function (kernel, require, module, exports) {
  'use strict';
  const { ERR_INVALID_ARG_TYPE, unavailable } = require('internal/errors');
  const { validateFunction, validateInteger } = require('internal/validators');
  const { pathOf, checkPath, answer } = require('internal/fs/files');
  const { modeOf } = require('internal/fs/checks');

  const path = (name) => (value) => { checkPath(pathOf(value, name), name); };
  const fd = (value) => {
    if (typeof value !== 'number') throw ERR_INVALID_ARG_TYPE('fd', 'number', value);
    validateInteger(value, 'fd', 0, 2147483647);
  };
  const owner = (name) => (value) => {
    if (typeof value !== 'number') throw ERR_INVALID_ARG_TYPE(name, 'number', value);
    validateInteger(value, name, -1, 4294967295);
  };
  const mode = (value) => {
    if (value === undefined || value === null) throw ERR_INVALID_ARG_TYPE('mode', 'number', value);
    modeOf(value);
  };
  // seconds returns a time as seconds since 1970.
  const seconds = (value) => {
    if (typeof value === 'string' && +value == value) return +value;
    if (Number.isFinite(value)) return value < 0 ? Date.now() / 1000 : value;
    if (value instanceof Date) return value.getTime() / 1000;
    throw ERR_INVALID_ARG_TYPE('time', ['Date', 'Time in seconds'], value);
  };
  exports._toUnixTimestamp = seconds;

  const modes = 'files have no modes that code can set';
  const owners = 'files have no owners';
  const times = 'nobody but the host sets times';
  const links = 'there are no links here, so copy the file';
  for (const [name, reason, ...checks] of [
    ['chmod', modes, path('path'), mode],
    ['fchmod', modes, fd, mode],
    ['chown', owners, path('path'), owner('uid'), owner('gid')],
    ['fchown', owners, fd, owner('uid'), owner('gid')],
    ['lchown', owners, path('path'), owner('uid'), owner('gid')],
    ['utimes', times, path('path'), seconds, seconds],
    ['futimes', times, fd, seconds, seconds],
    ['lutimes', times, path('path'), seconds, seconds],
    ['link', links, path('existingPath'), path('newPath')],
    ['symlink', links, path('target'), path('path')],
    ['readlink', links, path('path')],
    ['statfs', 'the host does not say how much space there is', path('path')],
  ]) {
    const refuse = (args) => {
      checks.forEach((check, i) => { check(args[i]); });
      throw unavailable(`fs.${name}`, reason);
    };
    exports[`${name}Sync`] = (...args) => refuse(args);
    exports[name] = (...args) => {
      if (args.length > checks.length) validateFunction(args[checks.length], 'cb');
      const callback = typeof args[args.length - 1] === 'function' ? args.pop() : undefined;
      return answer(callback, () => refuse(args), undefined, checks[0] === fd);
    };
  }
})
