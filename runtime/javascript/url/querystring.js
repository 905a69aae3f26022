// querystring
(function (kernel, require, module, exports) {
  'use strict';
  const { Buffer } = require('buffer');
  // Node takes a lone surrogate and what follows for a pair.
  const lone = /[\ud800-\udbff][\udc00-\udfff]|([\ud800-\udfff])([^])/g;
  const paired = (all, a, b) => (a === undefined ? all
    : String.fromCodePoint(0x10000 + ((a.charCodeAt(0) & 0x3ff) << 10) + (b.charCodeAt(0) & 0x3ff)));
  const kept = /[^A-Za-z0-9\-_.!~*'()]/;

  const escape = (text) => {
    if (typeof text !== 'string') text = typeof text === 'object' ? String(text) : `${text}`;
    if (!kept.test(text)) return text;
    if (!text.isWellFormed()) text = text.replace(lone, paired);
    try {
      return encodeURIComponent(text);
    } catch {
      const error = new URIError('URI malformed');
      error.code = 'ERR_INVALID_URI';
      throw error;
    }
  };
  const unescapeBuffer = (text, decodeSpaces) => {
    const bytes = [];
    for (let i = 0; i < text.length; i++) {
      const hex = text[i] === '%' ? text.slice(i + 1, i + 3) : '';
      if (/^[0-9a-fA-F]{2}$/.test(hex)) {
        bytes.push(Number.parseInt(hex, 16));
        i += 2;
      } else {
        bytes.push(text[i] === '+' && decodeSpaces ? 32 : text.charCodeAt(i) & 255);
      }
    }
    return Buffer.from(bytes);
  };
  const unescape = (text, decodeSpaces) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return unescapeBuffer(text, decodeSpaces).toString();
    }
  };

  const primitive = (value, encode) => {
    switch (typeof value) {
      case 'string': return value.length ? encode(value) : '';
      case 'number': return Number.isFinite(value) ? encode(`${value}`) : '';
      case 'bigint': return encode(`${value}`);
      case 'boolean': return value ? 'true' : 'false';
      default: return '';
    }
  };
  const stringify = (object, separator, equals, options) => {
    separator ||= '&';
    equals ||= '=';
    const encode = typeof options?.encodeURIComponent === 'function' ? options.encodeURIComponent : exports.escape;
    if (object === null || typeof object !== 'object') return '';
    const parts = [];
    for (const key of Object.keys(object)) {
      const start = primitive(key, encode) + equals;
      const value = object[key];
      if (Array.isArray(value)) for (const item of value) parts.push(start + primitive(item, encode));
      else parts.push(start + primitive(value, encode));
    }
    return parts.join(separator);
  };

  const parse = (text, separator, equals, options) => {
    const object = { __proto__: null };
    if (typeof text !== 'string' || text.length === 0) return object;
    separator = separator ? `${separator}` : '&';
    equals = equals ? `${equals}` : '=';
    const max = typeof options?.maxKeys === 'number' ? options.maxKeys : 1000;
    const own = options?.decodeURIComponent;
    const decode = (part) => {
      part = part.replaceAll('+', own ? '%20' : ' ');
      if (!own && !part.includes('%')) return part;
      try {
        return typeof own === 'function' ? own(part) : exports.unescape(part);
      } catch {
        return unescape(part, true);
      }
    };
    const pairs = text.split(separator).filter((pair) => pair !== '');
    for (const pair of max > 0 ? pairs.slice(0, max) : pairs) {
      const at = pair.indexOf(equals);
      const key = decode(at < 0 ? pair : pair.slice(0, at));
      const value = at < 0 ? '' : decode(pair.slice(at + equals.length));
      if (!(key in object)) object[key] = value;
      else if (Array.isArray(object[key])) object[key].push(value);
      else object[key] = [object[key], value];
    }
    return object;
  };
  Object.assign(exports, { unescapeBuffer, unescape, escape, stringify, encode: stringify, parse, decode: parse });
})
