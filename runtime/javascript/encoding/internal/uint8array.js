// The methods of Uint8Array for base64 and hexadecimal digits.
(function (kernel, require, module, exports) {
  'use strict';
  const { typedArrayName } = kernel;
  const standard = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const url = `${standard.slice(0, 62)}-_`;
  const digits = '0123456789abcdef';

  const check = (array) => {
    if (typeof array !== 'object' || array === null || typedArrayName(array) !== 'Uint8Array')
      throw new TypeError('not a Uint8Array');
  };
  const mustBeString = (text) => {
    if (typeof text !== 'string') throw new TypeError('the argument must be a string');
  };
  const optionsOf = (options) => {
    if (options === undefined) return {};
    if ((typeof options !== 'object' || options === null) && typeof options !== 'function')
      throw new TypeError('the options must be an object');
    return options;
  };
  const choose = (value, names) => {
    if (value === undefined) return names[0];
    if (!names.includes(value)) throw new TypeError(`the option must be one of ${names.join(', ')}`);
    return value;
  };
  const alphabetOf = (options) => choose(options.alphabet, ['base64', 'base64url']) === 'base64' ? standard : url;

  // decode returns {read, bytes, error}: what the first max bytes are, and how many code units of text they take.
  const decodeHex = (text, max) => {
    const bytes = [];
    if (text.length % 2 !== 0)
      return { read: 0, bytes, error: new SyntaxError('there must be an even number of hexadecimal digits') };
    let read = 0;
    for (; read < text.length && bytes.length < max; read += 2) {
      const pair = text.slice(read, read + 2);
      if (!/^[0-9a-fA-F]{2}$/.test(pair)) return { read, bytes, error: new SyntaxError('not hexadecimal digits') };
      bytes.push(parseInt(pair, 16));
    }
    return { read, bytes };
  };

  const values = (alphabet) => {
    const table = { __proto__: null };
    for (let i = 0; i < 64; i++) table[alphabet[i]] = i;
    return table;
  };
  const decodeBase64 = (text, options, max) => {
    options = optionsOf(options);
    const table = values(alphabetOf(options));
    const last = choose(options.lastChunkHandling, ['loose', 'strict', 'stop-before-partial']);
    const bytes = [];
    let read = 0, chunk = 0, n = 0, at = 0;
    const failure = (message) => ({ read, bytes, error: new SyntaxError(message) });
    const space = () => { while (at < text.length && '\t\n\f\r '.includes(text[at])) at++; };
    // partial adds the one or two bytes of an unfinished chunk.
    const partial = () => {
      if (last === 'strict' && (n === 2 ? chunk & 15 : chunk & 3) !== 0) return false;
      if (n === 2) bytes.push(chunk >> 4);
      else bytes.push(chunk >> 10, chunk >> 2 & 255);
      return true;
    };
    if (max === 0) return { read, bytes };
    for (;;) {
      space();
      if (at === text.length) {
        if (n > 0) {
          if (last === 'stop-before-partial') return { read, bytes };
          if (last === 'strict' || n === 1) return failure('the base64 text ends in the middle');
          partial();
        }
        return { read: text.length, bytes };
      }
      const c = text[at++];
      if (c === '=') {
        if (n < 2) return failure('misplaced padding in base64 text');
        space();
        if (n === 2) {
          if (at === text.length) {
            return last === 'stop-before-partial' ? { read, bytes }
              : failure('the padding of the base64 text is incomplete');
          }
          if (text[at] === '=') {
            at++;
            space();
          }
        }
        if (at < text.length) return failure('text after the padding of base64 text');
        return partial() ? { read: text.length, bytes } : failure('extra bits at the end of base64 text');
      }
      const value = table[c];
      if (value === undefined) return failure('not a base64 digit');
      const left = max - bytes.length;
      if ((left === 1 && n === 2) || (left === 2 && n === 3)) return { read, bytes };
      chunk = chunk << 6 | value;
      if (++n === 4) {
        bytes.push(chunk >> 16 & 255, chunk >> 8 & 255, chunk & 255);
        chunk = n = 0;
        read = at;
        if (bytes.length === max) return { read, bytes };
      }
    }
  };

  const made = ({ bytes, error }) => {
    if (error) throw error;
    return new Uint8Array(bytes);
  };
  const written = (array, { read, bytes, error }) => {
    array.set(bytes);
    if (error) throw error;
    return { read, written: bytes.length };
  };

  Object.assign(exports, {
    toHex() {
      check(this);
      let text = '';
      for (let i = 0; i < this.length; i++) text += digits[this[i] >> 4] + digits[this[i] & 15];
      return text;
    },
    toBase64(options) {
      check(this);
      options = optionsOf(options);
      const alphabet = alphabetOf(options);
      const omitPadding = !!options.omitPadding;
      let text = '';
      for (let i = 0; i < this.length; i += 3) {
        const left = this.length - i;
        const chunk = this[i] << 16 | (left > 1 ? this[i + 1] << 8 : 0) | (left > 2 ? this[i + 2] : 0);
        text += alphabet[chunk >> 18] + alphabet[chunk >> 12 & 63];
        if (left > 1) text += alphabet[chunk >> 6 & 63];
        else if (!omitPadding) text += '=';
        if (left > 2) text += alphabet[chunk & 63];
        else if (!omitPadding) text += '=';
      }
      return text;
    },
    fromHex(text) {
      mustBeString(text);
      return made(decodeHex(text, Infinity));
    },
    fromBase64(text, options) {
      mustBeString(text);
      return made(decodeBase64(text, options, Infinity));
    },
    setFromHex(text) {
      check(this);
      mustBeString(text);
      return written(this, decodeHex(text, this.length));
    },
    setFromBase64(text, options) {
      check(this);
      mustBeString(text);
      return written(this, decodeBase64(text, options, this.length));
    },
  });
})
