// TextEncoder and TextDecoder.
(function (kernel) {
  'use strict';
  const { host, bytesOf, slot, expose, Uint8Array, TypeError, makeError } = kernel;
  const FATAL = 1, KEEP_BOM = 2, MORE = 4; // flags of the host's decode
  const fill = kernel.uncurry(Uint8Array.prototype.set);
  const typeName = kernel.getter(kernel.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);

  const encoders = slot('TextEncoder');
  class TextEncoder {
    constructor() { encoders.set(this, true); }
    get encoding() {
      encoders.of(this);
      return 'utf-8';
    }
    encode(input = '') {
      encoders.of(this);
      return new Uint8Array(host('encode', `${input}`));
    }
    encodeInto(source, destination) {
      encoders.of(this);
      source = `${source}`;
      const bytes = bytesOf(destination);
      if (!bytes || typeName(destination) !== 'Uint8Array') {
        throw new TypeError('TextEncoder.encodeInto needs a Uint8Array to write to');
      }
      return host('encodeInto', source, bytes.buffer, bytes.offset, bytes.length);
    }
  }
  expose(TextEncoder);

  const decoders = slot('TextDecoder');
  class TextDecoder {
    constructor(label = 'utf-8', options = undefined) {
      label = `${label}`;
      const encoding = host('encoding', label);
      if (encoding === undefined) throw makeError('RangeError',
        `The encoding label '${kernel.slice(label, 0, 100)}' is invalid`, 'ERR_ENCODING_NOT_SUPPORTED');
      if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function') {
        throw kernel.builtin('internal/errors').ERR_INVALID_ARG_TYPE('options', 'Object', options);
      }
      const fatal = !!options?.fatal;
      const ignoreBOM = !!options?.ignoreBOM;
      // rest is put before the next bytes. begun means that a byte order mark is no longer possible.
      decoders.set(this, { encoding, fatal, ignoreBOM, rest: new Uint8Array(0), begun: false });
    }
    get encoding() { return decoders.of(this).encoding; }
    get fatal() { return decoders.of(this).fatal; }
    get ignoreBOM() { return decoders.of(this).ignoreBOM; }
    decode(input = undefined, options = undefined) {
      const decoder = decoders.of(this);
      const more = !!options?.stream;
      const view = input === undefined ? bytesOf(new Uint8Array(0)) : bytesOf(input);
      if (!view) throw makeError('TypeError', 'TextDecoder.decode needs an ArrayBuffer or a view of one',
        'ERR_INVALID_ARG_TYPE');
      const { rest, begun } = decoder;
      const { buffer, offset, length } = rest.length === 0 ? view : concat(rest, view);
      const flags = (decoder.fatal ? FATAL : 0) | (decoder.ignoreBOM || begun ? KEEP_BOM : 0) | (more ? MORE : 0);
      decoder.rest = new Uint8Array(0);
      decoder.begun = false;
      const result = host('decode', decoder.encoding, flags, buffer, offset, length);
      if (result === undefined) {
        throw makeError('TypeError', `The encoded data was not valid for encoding ${decoder.encoding}`,
          'ERR_ENCODING_INVALID_ENCODED_DATA');
      }
      if (!more) return result;
      decoder.rest = new Uint8Array(host('attachment'));
      decoder.begun = begun || length > decoder.rest.length;
      return result;
    }
  }
  expose(TextDecoder);

  const concat = (rest, view) => {
    const all = new Uint8Array(rest.length + view.length);
    fill(all, rest);
    fill(all, new Uint8Array(view.buffer, view.offset, view.length), rest.length);
    return bytesOf(all);
  };

  kernel.inspect(decoders, 'TextDecoder', ({ encoding, fatal, ignoreBOM }) => [
    'encoding', encoding, 'fatal', fatal, 'ignoreBOM', ignoreBOM,
  ]);
  kernel.inspect(encoders, 'TextEncoder', () => ['encoding', 'utf-8']);
})
