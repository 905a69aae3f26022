// fs: the project's files, as promises in the manner of Node's fs.promises.
(function (kernel) {
  'use strict';
  const { host, ops, makeError, bytesOf, Uint8Array } = kernel;
  const toWellFormed = kernel.uncurry(String.prototype.toWellFormed);
  const toLowerCase = kernel.uncurry(String.prototype.toLowerCase);

  const checkPath = (path, operation) => {
    if (path === undefined) {
      throw makeError('TypeError', `EINVAL: missing required argument 'path' for fs.${operation}`, 'EINVAL');
    }
    if (typeof path !== 'string') {
      throw makeError('TypeError', `EINVAL: invalid argument, the path of fs.${operation} must be a string`, 'EINVAL');
    }
    return path;
  };

  const encodingOf = (options, path) => {
    const encoding = typeof options === 'object' && options !== null ? options.encoding : options;
    if (encoding === undefined || encoding === null || encoding === 'buffer') return undefined;
    const name = typeof encoding === 'string' ? toLowerCase(encoding) : '';
    if (name === 'utf8' || name === 'utf-8') return 'utf8';
    throw makeError('TypeError', `EINVAL: invalid argument, unknown encoding (only 'utf8' is known), '${path}'`, 'EINVAL', path);
  };

  const fs = {
    // readFile(path) gives a Uint8Array; readFile(path, 'utf8') a string.
    async readFile(path, options) {
      checkPath(path, 'readFile');
      const encoding = encodingOf(options, path);
      const content = host(ops.readFile, path, encoding === undefined ? 0 : 1);
      return encoding === undefined ? new Uint8Array(content) : content;
    },

    // writeFile(path, data) replaces a file, or makes it and the directories that it lies in.
    async writeFile(path, data, options) {
      checkPath(path, 'writeFile');
      encodingOf(options, path);
      if (typeof data === 'string') {
        host(ops.writeFile, path, toWellFormed(data));
        return;
      }
      const bytes = bytesOf(data);
      if (!bytes) {
        throw makeError('TypeError', `EINVAL: invalid argument, data must be string or buffer, '${path}'`, 'EINVAL', path);
      }
      host(ops.writeFile, path, bytes.buffer, bytes.offset, bytes.length);
    },
  };
  kernel.define('fs', fs);
})
