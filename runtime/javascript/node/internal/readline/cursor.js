// What moves the cursor of a terminal. Standard output and error are no terminals: nothing is written to them.
(function (kernel, require, module, exports) {
  'use strict';
  const errors = require('internal/errors');
  const { validateFunction } = require('internal/validators');
  const { ERR_INVALID_ARG_VALUE } = errors;
  errors.define('ERR_INVALID_CURSOR_POS', TypeError, () => 'Cannot set cursor row without setting its column');

  const later = (callback) => { if (callback) require('process').nextTick(callback, null); };
  const send = (stream, text, callback) => {
    if (callback !== undefined) validateFunction(callback, 'callback');
    const { stdout, stderr } = require('process');
    if (stream === null || stream === undefined || stream === stdout || stream === stderr || text === '') {
      later(callback);
      return true;
    }
    return stream.write(text, callback);
  };
  exports.cursorTo = (stream, x, y, callback) => {
    if (callback !== undefined) validateFunction(callback, 'callback');
    if (typeof y === 'function') {
      callback = y;
      y = undefined;
    }
    if (Number.isNaN(x)) throw ERR_INVALID_ARG_VALUE('x', x);
    if (Number.isNaN(y)) throw ERR_INVALID_ARG_VALUE('y', y);
    if (typeof x !== 'number') {
      if (stream && typeof y === 'number') throw errors.ERR_INVALID_CURSOR_POS();
      later(callback);
      return true;
    }
    return send(stream, typeof y === 'number' ? `\x1b[${y + 1};${x + 1}H` : `\x1b[${x + 1}G`, callback);
  };
  exports.moveCursor = (stream, dx, dy, callback) => {
    const across = dx < 0 ? `\x1b[${-dx}D` : dx > 0 ? `\x1b[${dx}C` : '';
    const down = dy < 0 ? `\x1b[${-dy}A` : dy > 0 ? `\x1b[${dy}B` : '';
    return send(stream, across + down, callback);
  };
  exports.clearLine = (stream, direction, callback) => send(stream,
    direction < 0 ? '\x1b[1K' : direction > 0 ? '\x1b[0K' : '\x1b[2K', callback);
  exports.clearScreenDown = (stream, callback) => send(stream, '\x1b[0J', callback);
})
