// URLs of blobs, which are known in this run only.
(function (kernel, require, module, exports) {
  'use strict';
  const { ERR_INVALID_ARG_TYPE, ERR_MISSING_ARGS } = require('internal/errors');
  const { Blob } = require('internal/blob');
  const known = new Map();
  const prefix = 'blob:nodedata:';

  exports.create = (blob) => {
    if (!(blob instanceof Blob)) throw ERR_INVALID_ARG_TYPE('obj', 'Blob', blob);
    const url = `${prefix}${crypto.randomUUID()}`;
    known.set(url, blob);
    return url;
  };
  exports.revoke = (count, url) => {
    if (count === 0) throw ERR_MISSING_ARGS('url');
    known.delete(`${url}`);
  };
  exports.resolve = (url) => {
    const blob = known.get(`${url}`);
    return blob?.slice(0, blob.size, blob.type);
  };
})
