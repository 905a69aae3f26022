// URL. The host parses and changes URLs; an object holds the parsed parts.
(function (kernel) {
  'use strict';
  const { host, slot, expose, usvString, makeError } = kernel;
  const { create } = Object;

  const slots = slot('URL'); // {parts, params}
  const parse = (url, base) => host('url.parse', usvString(url),
    base === undefined ? undefined : usvString(base));
  const invalid = (input) => makeError('TypeError', `Invalid URL: '${kernel.slice(`${input}`, 0, 200)}'`,
    'ERR_INVALID_URL');

  const need = (args) => {
    if (args === 0) throw makeError('TypeError', 'The "url" argument must be specified', 'ERR_MISSING_ARGS');
  };

  const query = (parts) => kernel.slice(parts.search, 1);
  const change = (url, part, value) => {
    const parts = host('url.set', url.parts.href, part, value);
    if (parts !== undefined) url.parts = parts;
    return parts !== undefined;
  };
  const follow = (url) => { if (url.params) kernel.resetParams(url.params, query(url.parts)); };

  class URL {
    static createObjectURL(blob) { return kernel.builtin('internal/objecturl').create(blob); }
    static revokeObjectURL(url) { kernel.builtin('internal/objecturl').revoke(arguments.length, url); }
    static canParse(url, base = undefined) {
      need(arguments.length);
      return parse(url, base) !== undefined;
    }
    static parse(url, base = undefined) {
      need(arguments.length);
      const parts = parse(url, base);
      if (parts === undefined) return null;
      const result = create(prototype);
      slots.set(result, { parts, params: undefined });
      return result;
    }
    constructor(url, base = undefined) {
      need(arguments.length);
      url = usvString(url);
      const parts = parse(url, base);
      if (parts === undefined) throw invalid(url);
      slots.set(this, { parts, params: undefined });
    }
    get href() { return slots.of(this).parts.href; }
    set href(value) {
      const url = slots.of(this);
      value = usvString(value);
      if (!change(url, 'href', value)) throw invalid(value);
      follow(url);
    }
    get origin() { return slots.of(this).parts.origin; }
    get searchParams() {
      const url = slots.of(this);
      url.params ??= kernel.linkedParams(query(url.parts), (changed) => { change(url, 'search', changed); });
      return url.params;
    }
    toString() { return slots.of(this).parts.href; }
    toJSON() { return slots.of(this).parts.href; }
  }
  const { prototype } = URL;

  const parts = ['protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    const { get, set } = Object.getOwnPropertyDescriptor({
      get [part]() { return slots.of(this).parts[part]; },
      set [part](value) {
        const url = slots.of(this);
        change(url, part, usvString(value));
        if (part === 'search') follow(url);
      },
    }, part);
    kernel.defineProperty(prototype, part, { __proto__: null, get, set, configurable: true });
  }
  expose(URL);

  kernel.inspect(slots, 'URL', (url) => {
    const shown = [];
    const names = kernel.keys(url.parts);
    for (let i = 0; i < names.length; i++) {
      kernel.append(shown, names[i]);
      kernel.append(shown, url.parts[names[i]]);
    }
    return shown;
  });
})
