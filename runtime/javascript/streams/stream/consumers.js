// stream/consumers: all that a stream or another iterable gives, as one value.
(function (kernel, require, module, exports) {
  'use strict';
  const { Buffer } = require('buffer');

  exports.buffer = async (stream) => {
    const chunks = [];
    for await (const chunk of stream) {
      if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
      else if (ArrayBuffer.isView(chunk)) chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      else chunks.push(Buffer.from(chunk));
    }
    return Buffer.concat(chunks);
  };
  exports.arrayBuffer = async (stream) => {
    const all = await exports.buffer(stream);
    return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
  };
  exports.text = async (stream) => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of stream) text += typeof chunk === 'string' ? chunk
      : decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  };
  exports.json = async (stream) => JSON.parse(await exports.text(stream));
  exports.blob = async (stream) => {
    if (typeof Blob !== 'function')
      throw require('internal/errors').unavailable('stream/consumers.blob', 'use buffer(stream)');
    return new Blob([await exports.buffer(stream)]);
  };
})
