// stream/web: the streams of the web platform, which are globals too.
(function (kernel, require, module, exports) {
  'use strict';
  for (const part of ['writable', 'readable', 'bytes', 'transform']) require(`internal/webstreams/${part}`);
  Object.assign(exports, require('internal/webstreams/common').classes);
  for (const name of ['CompressionStream', 'DecompressionStream']) {
    Object.defineProperty(exports, name, {
      get: () => require('internal/compression')[name], enumerable: true, configurable: true,
    });
  }
})
