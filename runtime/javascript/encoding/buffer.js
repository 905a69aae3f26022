// buffer
(function (kernel, require, module, exports) {
  'use strict';
  const { host } = kernel;
  const {
    ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE, ERR_UNKNOWN_ENCODING, define,
  } = require('internal/errors');
  const { validateArray, validateInteger, validateNumber } = require('internal/validators');
  const { isAnyArrayBuffer, isTypedArray, viewBytes } = require('internal/types');
  const { inspect } = require('internal/inspect');

  const kMaxLength = 2 ** 32; // of one buffer; the memory limit ends much earlier
  const kStringMaxLength = 2 ** 30 - 1;
  const poolSize = 8192;
  let inspectMaxBytes = 50;

  define('ERR_BUFFER_OUT_OF_BOUNDS', RangeError, (name) => (
    name ? `"${name}" is outside of buffer bounds` : 'Attempt to access memory outside buffer bounds'));
  define('ERR_INVALID_BUFFER_SIZE', RangeError, (bits) => `Buffer size must be a multiple of ${bits}`);
  const { ERR_BUFFER_OUT_OF_BOUNDS, ERR_INVALID_BUFFER_SIZE } = require('internal/errors');

  const encodings = {
    __proto__: null, utf8: 'utf8', 'utf-8': 'utf8', hex: 'hex', base64: 'base64',
    base64url: 'base64url', latin1: 'latin1', binary: 'latin1',
    ascii: 'ascii', ucs2: 'utf16le', 'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le',
  };
  const known = (encoding) => (typeof encoding === 'string'
    ? encodings[encoding] ?? encodings[encoding.toLowerCase()] : undefined);
  // encodingOf is for functions to which a wrong encoding is an error.
  const encodingOf = (encoding) => {
    if (encoding === undefined || encoding === null || encoding === '') return 'utf8';
    const found = known(encoding);
    if (found === undefined) throw ERR_UNKNOWN_ENCODING(encoding);
    return found;
  };

  class FastBuffer extends Uint8Array {}
  const { prototype } = FastBuffer;

  // Buffer itself can be called without new. Node warns of that once, unless a library does it.
  let warned = false;
  function PublicBuffer(value, encodingOrOffset, length) {
    if (!warned && !/[/\\]node_modules[/\\]/.test(new Error().stack)) {
      warned = true;
      process.emitWarning('Buffer() is deprecated due to security and usability issues. ' +
        'Please use the Buffer.alloc(), Buffer.allocUnsafe(), ' +
        'or Buffer.from() methods instead.', 'DeprecationWarning', 'DEP0005');
    }
    if (typeof value === 'number') {
      if (typeof encodingOrOffset === 'string') throw ERR_INVALID_ARG_TYPE('string', 'string', value);
      return alloc(value);
    }
    return from(value, encodingOrOffset, length);
  }
  Object.defineProperty(PublicBuffer, 'name', { value: 'Buffer' });
  PublicBuffer.prototype = prototype;
  Object.defineProperty(prototype, 'constructor', {
    value: PublicBuffer, writable: true, configurable: true, enumerable: false,
  });
  Object.setPrototypeOf(PublicBuffer, Uint8Array);
  Object.defineProperty(PublicBuffer, Symbol.species, { configurable: true, get() { return FastBuffer; } });

  const bytesIn = (text, encoding) => new FastBuffer(host('buffer.bytes', encoding, text));
  const textOf = (buffer, encoding, start, end) => {
    if (end <= start) return '';
    const text = host('buffer.text', encoding, buffer.buffer, buffer.byteOffset + start, end - start);
    return encoding === 'utf16le' && text.includes('\ufffd') ? unitsOf(buffer, start, end) : text;
  };
  // unitsOf keeps lone surrogates, for which the host's texts have no place.
  const unitsOf = (buffer, start, end) => {
    const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    const parts = [];
    for (let at = start; at + 1 < end; at += 2) parts.push(String.fromCharCode(view.getUint16(at, true)));
    return parts.join('');
  };

  const checkSize = (size) => { validateNumber(size, 'size', 0, kMaxLength); };
  const alloc = (size, fill, encoding) => {
    checkSize(size);
    const buffer = new FastBuffer(size);
    return fill !== undefined && fill !== 0 && size > 0 ? filled(buffer, fill, 0, size, encoding) : buffer;
  };
  const allocUnsafe = (size) => {
    checkSize(size);
    return new FastBuffer(size);
  };

  const fromArrayLike = (value) => {
    if (value.length <= 0) return new FastBuffer();
    const buffer = new FastBuffer(value.length);
    buffer.set(value);
    return buffer;
  };
  const from = (value, encodingOrOffset, length) => {
    if (typeof value === 'string') {
      if (typeof encodingOrOffset !== 'string' || encodingOrOffset.length === 0) return bytesIn(value, 'utf8');
      const encoding = known(encodingOrOffset);
      if (encoding === undefined) throw ERR_UNKNOWN_ENCODING(encodingOrOffset);
      return bytesIn(value, encoding);
    }
    if (typeof value === 'object' && value !== null) {
      if (isBytes(value)) {
        const buffer = new FastBuffer(value.length);
        buffer.set(value);
        return buffer;
      }
      if (isAnyArrayBuffer(value)) return fromArrayBuffer(value, encodingOrOffset, length);
      const primitive = value.valueOf && value.valueOf();
      if (primitive != null && primitive !== value &&
        (typeof primitive === 'string' || typeof primitive === 'object')) {
        return from(primitive, encodingOrOffset, length);
      }
      if (isTypedArray(value)) {
        const buffer = new FastBuffer(value.length);
        buffer.set(typeof value[0] === 'bigint' ? Array.from(value, Number) : value);
        return buffer;
      }
      if (value.length !== undefined || isAnyArrayBuffer(value.buffer)) {
        return typeof value.length === 'number' ? fromArrayLike(value) : new FastBuffer();
      }
      if (value.type === 'Buffer' && Array.isArray(value.data)) return fromArrayLike(value.data);
      if (typeof value[Symbol.toPrimitive] === 'function') {
        const text = value[Symbol.toPrimitive]('string');
        if (typeof text === 'string') return from(text, encodingOrOffset);
      }
    }
    throw ERR_INVALID_ARG_TYPE('first argument',
      ['string', 'Buffer', 'ArrayBuffer', 'Array', 'Array-like Object'], value);
  };
  const fromArrayBuffer = (buffer, offset, length) => {
    if (offset === undefined) {
      offset = 0;
    } else {
      offset = +offset;
      if (Number.isNaN(offset)) offset = 0;
    }
    const most = buffer.byteLength - offset;
    if (most < 0) throw ERR_BUFFER_OUT_OF_BOUNDS('offset');
    if (length === undefined) {
      length = most;
    } else {
      length = +length;
      if (length > 0) {
        if (length > most) throw ERR_BUFFER_OUT_OF_BOUNDS('length');
      } else {
        length = 0;
      }
    }
    return new FastBuffer(buffer, offset, length);
  };

  const { isView } = ArrayBuffer;
  const { isArray } = Array;
  const isBytes = (value) => isView(value) && value instanceof Uint8Array;
  const compareBytes = (a, b) => host('buffer.compare', a.buffer, a.byteOffset,
    a.byteLength, b.buffer, b.byteOffset, b.byteLength);

  // Functions, not methods: in Node they can be called with new, too.
  const statics = {
    from: function (value, encodingOrOffset, length) { return from(value, encodingOrOffset, length); },
    of(...items) { return fromArrayLike(items); },
    alloc: function (size, fill, encoding) { return alloc(size, fill, encoding); },
    allocUnsafe: function (size) { return allocUnsafe(size); },
    allocUnsafeSlow: function (size) { return allocUnsafe(size); },
    isBuffer: function (value) { return value instanceof FastBuffer; },
    isEncoding: function (encoding) {
      return typeof encoding === 'string' && encoding.length !== 0 && known(encoding) !== undefined;
    },
    byteLength: function (value, encoding) {
      if (typeof value !== 'string') {
        if (ArrayBuffer.isView(value) || isAnyArrayBuffer(value)) return value.byteLength;
        throw ERR_INVALID_ARG_TYPE('string', ['string', 'Buffer', 'ArrayBuffer'], value);
      }
      switch (known(encoding)) {
        case 'latin1': case 'ascii': return value.length;
        case 'utf16le': return value.length * 2;
        case 'hex': return value.length >>> 1;
        case 'base64': case 'base64url': {
          let { length } = value;
          if (value[length - 1] === '=') length--;
          if (length > 1 && value[length - 1] === '=') length--;
          return (length * 3) >>> 2;
        }
        default: return host('buffer.size', value);
      }
    },
    compare: function (a, b) {
      if (!isBytes(a)) throw ERR_INVALID_ARG_TYPE('buf1', ['Buffer', 'Uint8Array'], a);
      if (!isBytes(b)) throw ERR_INVALID_ARG_TYPE('buf2', ['Buffer', 'Uint8Array'], b);
      return a === b ? 0 : compareBytes(a, b);
    },
    concat: function (list, length) {
      if (!isArray(list)) validateArray(list, 'list');
      const count = list.length;
      if (count === 0) return new FastBuffer();
      if (length === undefined) {
        length = 0;
        for (let i = 0; i < count; i++) length += list[i].length || 0;
      } else {
        validateInteger(length, 'length', 0, kMaxLength);
      }
      if (length > kMaxLength) checkSize(length);
      const buffer = new FastBuffer(length);
      for (let i = 0, at = 0; i < count; i++) {
        const part = list[i];
        if (!isView(part) || !(part instanceof Uint8Array))
          throw ERR_INVALID_ARG_TYPE(`list[${i}]`, ['Buffer', 'Uint8Array'], part);
        const size = part.length;
        if (at + size > length) {
          buffer.set(part.subarray(0, length - at), at);
          break;
        }
        buffer.set(part, at);
        at += size;
      }
      return buffer;
    },
    copyBytesFrom: function (view, offset, length) {
      if (!isTypedArray(view)) throw ERR_INVALID_ARG_TYPE('view', ['TypedArray'], view);
      const size = view.length;
      if (size === 0) return alloc(0);
      if (offset !== undefined) {
        validateInteger(offset, 'offset', 0);
        if (offset >= size) return alloc(0);
      } else {
        offset = 0;
      }
      const end = length === undefined ? size : offset + length;
      if (length !== undefined) validateInteger(length, 'length', 0);
      const part = view.slice(offset, end);
      return new FastBuffer(part.buffer, part.byteOffset, viewBytes(part));
    },
  };
  for (const name in statics) {
    Object.defineProperty(PublicBuffer, name, {
      value: statics[name], writable: true, configurable: true, enumerable: true,
    });
  }
  PublicBuffer.poolSize = poolSize;

  const indexOfByte = Uint8Array.prototype.indexOf;
  const shortBuffer = 512; // the host finds a byte faster in longer ones
  const methods = {
    copy(target, targetStart, start, end) {
      if (!isBytes(target)) throw ERR_INVALID_ARG_TYPE('target', ['Buffer', 'Uint8Array'], target);
      const number = (value, fallback, name, range = '>= 0') => {
        if (value === undefined) return fallback;
        value = Math.trunc(+value) || 0;
        if (value < 0) throw ERR_OUT_OF_RANGE(name, range, value);
        return value;
      };
      targetStart = number(targetStart, 0, 'targetStart');
      start = number(start, 0, 'sourceStart', `>= 0 && <= ${this.length}`);
      if (start > this.length) throw ERR_OUT_OF_RANGE('sourceStart', `>= 0 && <= ${this.length}`, start);
      end = Math.min(number(end, this.length, 'sourceEnd'), this.length);
      if (targetStart >= target.length || start >= end) return 0;
      const n = Math.min(end - start, target.length - targetStart);
      target.set(new Uint8Array(this.buffer, this.byteOffset + start, n), targetStart);
      return n;
    },
    toString(encoding, start, end) {
      const { length } = this;
      if (arguments.length === 0) return textOf(this, 'utf8', 0, length);
      start = start <= 0 ? 0 : start >= length ? length : Math.trunc(start) || 0;
      end = end === undefined || end > length ? length : Math.trunc(end) || 0;
      if (end <= start) return '';
      return textOf(this, encodingOfText(encoding), start, end);
    },
    equals(other) {
      if (!isBytes(other)) throw ERR_INVALID_ARG_TYPE('otherBuffer', ['Buffer', 'Uint8Array'], other);
      if (this === other) return true;
      return this.byteLength === other.byteLength && (this.byteLength === 0 || compareBytes(this, other) === 0);
    },
    compare(target, targetStart, targetEnd, start, end) {
      if (!isBytes(target)) throw ERR_INVALID_ARG_TYPE('target', ['Buffer', 'Uint8Array'], target);
      const within = (value, fallback, name, max) => {
        if (value === undefined) return fallback;
        validateInteger(value, name, 0, max);
        return value;
      };
      targetStart = within(targetStart, 0, 'targetStart', kMaxLength);
      targetEnd = within(targetEnd, target.length, 'targetEnd', target.length);
      start = within(start, 0, 'sourceStart', kMaxLength);
      end = within(end, this.length, 'sourceEnd', this.length);
      if (start >= end) return targetStart >= targetEnd ? 0 : -1;
      if (targetStart >= targetEnd) return 1;
      return compareBytes(new Uint8Array(this.buffer, this.byteOffset + start, end - start),
        new Uint8Array(target.buffer, target.byteOffset + targetStart, targetEnd - targetStart));
    },
    indexOf(value, from, encoding) {
      if (typeof value === 'number' && from === undefined && this.length < shortBuffer)
        return indexOfByte.call(this, value & 255);
      return find(this, value, from, encoding, true);
    },
    lastIndexOf: function lastIndexOf(value, from, encoding) { // which can be called with new, in vain
      if (new.target !== undefined) throw ERR_INVALID_ARG_TYPE('buffer', ['Buffer', 'TypedArray', 'DataView'], this);
      return find(this, value, from, encoding, false);
    },
    includes(value, from, encoding) { return find(this, value, from, encoding, true) !== -1; },
    fill(value, offset, end, encoding) { return filled(this, value, offset, end, encoding); },
    write(text, offset, length, encoding) {
      if (typeof text !== 'string') throw ERR_INVALID_ARG_TYPE('argument', 'string', text);
      if (offset === undefined) return put(this, text, 0, this.length, 'utf8');
      if (length === undefined && typeof offset === 'string')
        return put(this, text, 0, this.length, offset ? encodingOfText(offset) : 'utf8');
      validateInteger(offset, 'offset', 0, this.length);
      const left = this.length - offset;
      if (length === undefined) {
        length = left;
      } else if (typeof length === 'string') {
        encoding = length;
        length = left;
      } else {
        validateInteger(length, 'length', 0, this.length);
        if (length > left) length = left;
      }
      return put(this, text, offset, length, encoding ? encodingOfText(encoding) : 'utf8');
    },
    toJSON() {
      const data = new Array(this.length);
      for (let i = 0; i < this.length; i++) data[i] = this[i];
      return { type: 'Buffer', data };
    },
    subarray(start, end) {
      const { length } = this;
      // the usual case
      if (start >= 0 && start <= length && end >= start && end <= length && start % 1 === 0 && end % 1 === 0) {
        return new FastBuffer(this.buffer, this.byteOffset + start, end - start);
      }
      const at = (value, fallback) => {
        value = value === undefined ? fallback : Math.trunc(+value) || 0;
        return value < 0 ? Math.max(0, value + length) : Math.min(value, length);
      };
      const from_ = at(start, 0);
      return new FastBuffer(this.buffer, this.byteOffset + from_, Math.max(0, at(end, length) - from_));
    },
    slice(start, end) { return this.subarray(start, end); },
    swap16() { return swap(this, 2); },
    swap32() { return swap(this, 4); },
    swap64() { return swap(this, 8); },
    toLocaleString(encoding, start, end) { return this.toString(encoding, start, end); },
    [inspect.custom](depth, context) {
      const shown = Math.min(inspectMaxBytes, this.length);
      const more = this.length - shown;
      let text = textOf(this, 'hex', 0, shown).replace(/(.{2})/g, '$1 ').trim();
      if (more > 0) text += ` ... ${more} more byte${more > 1 ? 's' : ''}`;
      const extras = {};
      let some = false;
      for (const key of Reflect.ownKeys(this)) {
        if ((typeof key === 'string' && /^\d+$/.test(key)) || !Object.prototype.propertyIsEnumerable.call(this, key))
          continue;
        extras[key] = this[key];
        some = true;
      }
      if (some) {
        if (this.length !== 0) text += ', ';
        text += inspect(extras, { ...context, breakLength: Infinity, compact: true }).slice(2, -2);
      }
      return `<${this.constructor.name} ${text}>`;
    },
  };

  const encodingOfText = (encoding) => {
    if (encoding === undefined) return 'utf8';
    const found = known(`${encoding}`);
    if (found === undefined) throw ERR_UNKNOWN_ENCODING(encoding);
    return found;
  };

  // put writes as much of a text as fits, but no part of a character.
  const put = (buffer, text, offset, length, encoding) => {
    length = Math.min(length, buffer.length - offset);
    if (encoding === 'utf8') {
      return host('encodeInto', text, buffer.buffer, buffer.byteOffset + offset, Math.max(0, length)).written;
    }
    if (encoding === 'utf16le') length &= ~1;
    const bytes = bytesIn(text, encoding);
    const n = Math.min(bytes.length, length);
    buffer.set(bytes.subarray(0, n), offset);
    return n;
  };

  const filled = (buffer, value, offset, end, encoding) => {
    if (typeof value === 'string') {
      if (offset === undefined || typeof offset === 'string') {
        encoding = offset;
        offset = 0;
        end = buffer.length;
      } else if (typeof end === 'string') {
        encoding = end;
        end = buffer.length;
      }
      if (encoding !== undefined && encoding !== null && typeof encoding !== 'string')
        throw ERR_INVALID_ARG_TYPE('encoding', 'string', encoding);
      const found = encodingOf(encoding);
      if (value.length === 0) value = 0;
      else if (value.length === 1 && (found === 'utf8' ? value.charCodeAt(0) < 128 : found === 'latin1'))
        value = value.charCodeAt(0);
      else encoding = found;
    } else {
      encoding = undefined;
    }
    if (offset === undefined) {
      offset = 0;
      end = buffer.length;
    } else {
      validateNumber(offset, 'offset', 0, kMaxLength);
      if (end === undefined) end = buffer.length;
      else validateNumber(end, 'end', 0, buffer.length);
      if (offset >= end) return buffer;
    }
    if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined) {
      return Uint8Array.prototype.fill.call(buffer, value & 255, offset, end);
    }
    const pattern = typeof value === 'string' ? bytesIn(value, encoding ?? 'utf8') :
      isBytes(value) ? value : ArrayBuffer.isView(value)
        ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
    if (pattern === undefined) return Uint8Array.prototype.fill.call(buffer, value & 255, offset, end);
    if (pattern.length === 0) throw ERR_INVALID_ARG_VALUE('value', value);
    offset = Math.trunc(offset);
    end = Math.trunc(end);
    const first = Math.min(pattern.length, end - offset);
    buffer.set(pattern.subarray(0, first), offset);
    for (let done = first; done < end - offset; done *= 2) { // what is there is copied behind itself
      buffer.copyWithin(offset + done, offset, offset + Math.min(done, end - offset - done));
    }
    return buffer;
  };

  const byte = new Uint8Array(1);
  const find = (buffer, value, from_, encoding, forward) => {
    const { length } = buffer;
    if (typeof value === 'number' && from_ === undefined && forward && length >= shortBuffer) {
      byte[0] = value;
      return host('buffer.find', buffer.buffer, buffer.byteOffset, length, byte.buffer, 0, 1);
    }
    if (typeof from_ === 'string') {
      encoding = from_;
      from_ = undefined;
    } else if (from_ > 0x7fffffff) {
      from_ = 0x7fffffff;
    } else if (from_ < -0x80000000) {
      from_ = -0x80000000;
    }
    from_ = +from_;
    if (Number.isNaN(from_)) from_ = forward ? 0 : length;
    from_ = Math.trunc(from_);
    if (typeof value === 'number') {
      return Uint8Array.prototype[forward ? 'indexOf' : 'lastIndexOf'].call(buffer,
        value & 255, from_ >= length && !forward ? length - 1 : from_);
    }
    let step = 1;
    let needle;
    if (typeof value === 'string') {
      const found = encoding === undefined ? 'utf8' : known(encoding);
      if (found === undefined) throw ERR_UNKNOWN_ENCODING(encoding);
      if (found === 'utf16le') step = 2;
      needle = bytesIn(value, found);
    } else if (isBytes(value)) {
      needle = value;
      if (encoding !== undefined && known(encoding) === 'utf16le') step = 2;
    } else {
      throw ERR_INVALID_ARG_TYPE('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
    }
    if (from_ < 0) from_ += length;
    if (needle.length === 0) return Math.max(0, Math.min(from_, length));
    if (from_ < 0) {
      if (!forward) return -1;
      from_ = 0;
    }
    if (forward) {
      if (from_ >= length) return -1;
      for (;;) {
        const at = host('buffer.find', buffer.buffer, buffer.byteOffset + from_, length - from_,
          needle.buffer, needle.byteOffset, needle.byteLength);
        if (at < 0) return -1;
        if ((from_ + at) % step === 0) return from_ + at;
        from_ += at + 1;
      }
    }
    let end = Math.min(from_ + needle.length, length);
    for (;;) {
      const at = host('buffer.findLast', buffer.buffer, buffer.byteOffset,
        end, needle.buffer, needle.byteOffset, needle.byteLength);
      if (at < 0 || at % step === 0) return at;
      end = at + needle.length - 1;
    }
  };

  const swap = (buffer, width) => {
    if (buffer.length % width !== 0) throw ERR_INVALID_BUFFER_SIZE(`${width * 8}-bits`);
    for (let i = 0; i < buffer.length; i += width) {
      for (let a = i, b = i + width - 1; a < b; a++, b--) {
        const byte = buffer[a];
        buffer[a] = buffer[b];
        buffer[b] = byte;
      }
    }
    return buffer;
  };

  // Numbers in buffers.
  const outside = (value, last, name) => {
    if (Math.floor(value) !== value) {
      validateNumber(value, name ?? 'offset');
      throw ERR_OUT_OF_RANGE(name ?? 'offset', 'an integer', value);
    }
    if (last < 0) throw ERR_BUFFER_OUT_OF_BOUNDS();
    throw ERR_OUT_OF_RANGE(name ?? 'offset', `>= ${name ? 1 : 0} and <= ${last}`, value);
  };
  const checkOffset = (buffer, offset, width) => {
    validateNumber(offset, 'offset');
    if (buffer[offset] === undefined || buffer[offset + width - 1] === undefined)
      outside(offset, buffer.length - width);
  };
  const checkRange = (value, min, max, width) => {
    if (!(value > max || value < min)) return;
    const n = typeof min === 'bigint' ? 'n' : '';
    let range = `>= ${min}${n} and <= ${max}${n}`;
    if (width > 4) {
      range = min == 0 ? `>= 0${n} and < 2${n} ** ${width * 8}${n}` : // eslint-disable-line eqeqeq
        `>= -(2${n} ** ${width * 8 - 1}${n}) and < 2${n} ** ${width * 8 - 1}${n}`;
    }
    throw ERR_OUT_OF_RANGE('value', range, value);
  };
  const readBytes = (buffer, offset, width, little) => {
    let value = 0;
    if (little) for (let i = width - 1; i >= 0; i--) value = value * 256 + buffer[offset + i];
    else for (let i = 0; i < width; i++) value = value * 256 + buffer[offset + i];
    return value;
  };
  const signed = (value, width) => (value >= 2 ** (8 * width - 1) ? value - 2 ** (8 * width) : value);
  const writeBytes = (buffer, value, offset, width, little) => {
    if (value < 0) value += 2 ** (8 * width);
    for (let i = 0; i < width; i++) {
      buffer[little ? offset + i : offset + width - 1 - i] = value % 256;
      value = Math.floor(value / 256);
    }
    return offset + width;
  };
  const method = (name, f, ...aliases) => {
    Object.defineProperty(f, 'name', { value: name });
    methods[name] = f;
    for (const other of aliases) methods[other] = f;
  };
  const plain = (name) => name.replace('UInt', 'Uint');
  for (const width of [1, 2, 4]) {
    for (const order of width === 1 ? [''] : ['LE', 'BE']) {
      const little = order === 'LE';
      const bits = `${width * 8}${order}`;
      const max = 2 ** (8 * width);
      method(`readUInt${bits}`, function (offset = 0) {
        checkOffset(this, offset, width);
        return readBytes(this, offset, width, little);
      }, plain(`readUInt${bits}`));
      method(`readInt${bits}`, function (offset = 0) {
        checkOffset(this, offset, width);
        return signed(readBytes(this, offset, width, little), width);
      });
      method(`writeUInt${bits}`, function (value, offset = 0) {
        value = +value;
        if (width === 1) validateNumber(offset, 'offset');
        checkRange(value, 0, max - 1, width);
        checkOffset(this, offset, width);
        return writeBytes(this, Math.trunc(value) || 0, offset, width, little);
      }, plain(`writeUInt${bits}`));
      method(`writeInt${bits}`, function (value, offset = 0) {
        value = +value;
        if (width === 1) validateNumber(offset, 'offset');
        checkRange(value, -max / 2, max / 2 - 1, width);
        checkOffset(this, offset, width);
        return writeBytes(this, Math.trunc(value) || 0, offset, width, little);
      });
    }
  }
  const checkWidth = (width) => {
    if (width === undefined || typeof width !== 'number') throw ERR_INVALID_ARG_TYPE('byteLength', 'number', width);
    if (!(width >= 1 && width <= 6) || Math.floor(width) !== width) outside(width, 6, 'byteLength');
  };
  for (const order of ['LE', 'BE']) {
    const little = order === 'LE';
    method(`readUInt${order}`, function (offset, width) {
      if (offset === undefined) throw ERR_INVALID_ARG_TYPE('offset', 'number', offset);
      checkWidth(width);
      checkOffset(this, offset, width);
      return readBytes(this, offset, width, little);
    }, plain(`readUInt${order}`));
    method(`readInt${order}`, function (offset, width) {
      if (offset === undefined) throw ERR_INVALID_ARG_TYPE('offset', 'number', offset);
      checkWidth(width);
      checkOffset(this, offset, width);
      return signed(readBytes(this, offset, width, little), width);
    });
    method(`writeUInt${order}`, function (value, offset, width) {
      checkWidth(width);
      value = +value;
      if (width === 1) validateNumber(offset, 'offset');
      checkRange(value, 0, 2 ** (8 * width) - 1, width);
      checkOffset(this, offset, width);
      return writeBytes(this, Math.trunc(value) || 0, offset, width, little);
    }, plain(`writeUInt${order}`));
    method(`writeInt${order}`, function (value, offset, width) {
      checkWidth(width);
      value = +value;
      if (width === 1) validateNumber(offset, 'offset');
      checkRange(value, -(2 ** (8 * width - 1)), 2 ** (8 * width - 1) - 1, width);
      checkOffset(this, offset, width);
      return writeBytes(this, Math.trunc(value) || 0, offset, width, little);
    });
    const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    for (const [name, width, type] of [['Float', 4, 'Float32'], ['Double', 8, 'Float64']]) {
      method(`read${name}${order}`, function (offset = 0) {
        checkOffset(this, offset, width);
        return view(this)[`get${type}`](offset, little);
      });
      method(`write${name}${order}`, function (value, offset = 0) {
        value = +value;
        checkOffset(this, offset, width);
        view(this)[`set${type}`](offset, value, little);
        return offset + width;
      });
    }
    for (const [name, min, max] of [['BigInt64', -(2n ** 63n), 2n ** 63n - 1n], ['BigUint64', 0n, 2n ** 64n - 1n]]) {
      const aliases = name === 'BigUint64' ? [`BigUInt64${order}`] : [];
      method(`read${name}${order}`, function (offset = 0) {
        checkOffset(this, offset, 8);
        return view(this)[`get${name}`](offset, little);
      }, ...aliases.map((other) => `read${other}`));
      method(`write${name}${order}`, function (value, offset = 0) {
        if (typeof value !== 'bigint')
          throw new TypeError(`Cannot mix BigInt and other types, use explicit conversions`);
        checkRange(value, min, max, 8);
        checkOffset(this, offset, 8);
        view(this)[`set${name}`](offset, value, little);
        return offset + 8;
      }, ...aliases.map((other) => `write${other}`));
    }
  }

  // What old libraries call.
  for (const [name, encoding] of [['ascii', 'ascii'], ['base64', 'base64'], ['base64url', 'base64url'],
    ['latin1', 'latin1'], ['hex', 'hex'],
    ['ucs2', 'utf16le'], ['utf8', 'utf8']]) {
    method(`${name}Slice`, function (start = 0, end = this.length) { return this.toString(encoding, start, end); });
    method(`${name}Write`, function (text, offset = 0, length = this.length - offset) {
      return put(this, text, offset, length, encoding);
    });
  }
  for (const name of Reflect.ownKeys(methods)) {
    Object.defineProperty(prototype, name, {
      value: methods[name], writable: true, configurable: true, enumerable: true,
    });
  }
  Object.defineProperty(prototype, 'parent', {
    enumerable: true, configurable: true, get() { return this instanceof FastBuffer ? this.buffer : undefined; },
  });
  Object.defineProperty(prototype, 'offset', {
    enumerable: true, configurable: true, get() { return this instanceof FastBuffer ? this.byteOffset : undefined; },
  });

  const viewOf = (value, name) => {
    if (isAnyArrayBuffer(value)) return new Uint8Array(value);
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    throw ERR_INVALID_ARG_TYPE(name, ['ArrayBuffer', 'Buffer', 'TypedArray'], value);
  };
  const attached = (value) => {
    if ((ArrayBuffer.isView(value) ? value.buffer : value)?.detached === true) {
      throw Object.assign(new Error('Cannot validate on a detached buffer'), { code: 'ERR_INVALID_STATE' });
    }
    return viewOf(value, 'input');
  };
  Object.assign(exports, {
    Buffer: PublicBuffer,
    SlowBuffer: function SlowBuffer(size) { return allocUnsafe(size); },
    atob,
    btoa,
    constants: { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: kStringMaxLength },
    isAscii(value) { return attached(value).every((byte) => byte < 128); },
    isUtf8(value) {
      const bytes = attached(value);
      try {
        new TextDecoder('utf-8', { fatal: true }).decode(bytes);
        return true;
      } catch {
        return false;
      }
    },
    kMaxLength,
    kStringMaxLength,
    transcode(source, from_, to) {
      if (!isBytes(source)) throw ERR_INVALID_ARG_TYPE('source', ['Buffer', 'Uint8Array'], source);
      const text = textOf(source, encodingOf(from_), 0, source.length);
      const found = encodingOf(to);
      if (found === 'ascii' || found === 'latin1') {
        const most = found === 'ascii' ? 127 : 255;
        return from(Array.from(text, (c) => (c.codePointAt(0) > most ? 63 : c.charCodeAt(0))));
      }
      return bytesIn(text, found);
    },
    resolveObjectURL: (id) => require('internal/objecturl').resolve(id),
  });
  Object.defineProperty(exports, 'INSPECT_MAX_BYTES', {
    enumerable: true, configurable: true, get: () => inspectMaxBytes,
    set(value) {
      validateNumber(value, 'INSPECT_MAX_BYTES', 0);
      inspectMaxBytes = value;
    },
  });
  for (const name of ['Blob', 'File']) {
    Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: () => globalThis[name] });
  }
})
