// URLPattern (https://urlpattern.spec.whatwg.org/). The names of operations are those of the standard.
(function (kernel, require, module, exports) {
  'use strict';
  const { slot, decorate, usvString } = kernel;
  const { TypeError, URL, RegExp } = globalThis;
  const fail = (text) => { throw new TypeError(`URLPattern: ${text}`); };
  const names = ['protocol', 'username', 'password', 'hostname', 'port', 'pathname', 'search', 'hash'];
  const specialPorts = { __proto__: null, ftp: '21', file: '', http: '80', https: '443', ws: '80', wss: '443' };
  const schemes = Object.keys(specialPorts);

  const plain = { delimiter: '', prefix: '' };
  const forHostname = { delimiter: '.', prefix: '' };
  const forPathname = { delimiter: '/', prefix: '/' };

  const escapeRegExp = (text) => text.replace(/[.+*?^${}()[\]|/\\]/g, '\\$&');
  const escapePattern = (text) => text.replace(/[+*?:{}()\\]/g, '\\$&');
  const nameStart = /^[\p{ID_Start}$_]$/u;
  const namePart = /^[\p{ID_Continue}$\u200c\u200d]$/u;
  const isName = (c, first) => c !== undefined && (first ? nameStart : namePart).test(c);
  const isASCII = (c) => c < '\x80';

  // tokenize splits a pattern into tokens {type, index, value}. A lenient one makes tokens of mistakes.
  const tokenize = (chars, lenient) => {
    const tokens = [];
    const { length } = chars;
    let i = 0;
    const add = (type, next, from, to = next) => {
      tokens.push({ type, index: i, value: chars.slice(from, to).join('') });
      i = next;
    };
    const mistake = (next, from, text) => {
      if (!lenient) fail(text);
      add('invalid', next, from);
    };
    while (i < length) {
      const c = chars[i];
      if (c === '*') {
        add('asterisk', i + 1, i);
      } else if (c === '+' || c === '?') {
        add('modifier', i + 1, i);
      } else if (c === '\\') {
        if (i === length - 1) mistake(i + 1, i, 'a pattern must not end with \\');
        else add('escaped', i + 2, i + 1);
      } else if (c === '{') {
        add('open', i + 1, i);
      } else if (c === '}') {
        add('close', i + 1, i);
      } else if (c === ':') {
        let end = i + 1;
        while (end < length && isName(chars[end], end === i + 1)) end++;
        if (end === i + 1) mistake(end, i, 'a name must come after :');
        else add('name', end, i + 1);
      } else if (c === '(') {
        const end = groupEnd(chars, i + 1);
        if (end < 0) mistake(i + 1, i, 'a group ( ) is not valid');
        else add('regexp', end + 1, i + 1, end);
      } else {
        add('char', i + 1, i);
      }
    }
    add('end', length, length);
    return tokens;
  };
  // groupEnd returns where the bracket that ends a group is, or -1.
  const groupEnd = (chars, start) => {
    let depth = 1;
    for (let i = start; i < chars.length; i++) {
      const c = chars[i];
      if (!isASCII(c) || (i === start && c === '?')) return -1;
      if (c === '\\') {
        if (i === chars.length - 1 || !isASCII(chars[i + 1])) return -1;
        i++;
      } else if (c === ')') {
        if (--depth === 0) return i > start ? i : -1;
      } else if (c === '(') {
        depth++;
        if (chars[i + 1] !== '?') return -1; // it would capture
      }
    }
    return -1;
  };

  // parse makes the parts of a component: {type, value, modifier, name, prefix, suffix}.
  const parse = (pattern, options, encode) => {
    const tokens = tokenize([...pattern], false);
    const parts = [];
    const used = new Set();
    const segment = segmentOf(options);
    let at = 0;
    let pending = '';
    let number = 0;
    const take = (type) => (tokens[at].type === type ? tokens[at++] : undefined);
    const takeMatcher = (name) => take('regexp') ?? (name === undefined ? take('asterisk') : undefined);
    const takeModifier = () => (take('modifier') ?? take('asterisk'))?.value ?? '';
    const need = (type) => take(type) ?? fail(`${type} expected in '${pattern.slice(0, 200)}'`);
    const text = () => {
      let all = '';
      for (let token; (token = take('char') ?? take('escaped')) !== undefined;) all += token.value;
      return all;
    };
    const flush = () => {
      if (pending === '') return;
      parts.push({ type: 'fixed', value: encode(pending), modifier: '', name: '', prefix: '', suffix: '' });
      pending = '';
    };
    const add = (prefix, name, matcher, suffix, modifier) => {
      if (name === undefined && matcher === undefined && modifier === '') {
        pending += prefix;
        return;
      }
      flush();
      if (name === undefined && matcher === undefined) {
        if (prefix !== '') parts.push({
          type: 'fixed', value: encode(prefix), modifier, name: '', prefix: '', suffix: '',
        });
        return;
      }
      let value = matcher === undefined ? segment : matcher.type === 'asterisk' ? '.*' : matcher.value;
      let type = 'regexp';
      if (value === segment) {
        type = 'segment';
        value = '';
      } else if (value === '.*') {
        type = 'full';
        value = '';
      }
      const called = name === undefined ? String(number++) : name.value;
      if (used.has(called)) fail(`the name ${called} is used twice`);
      used.add(called);
      parts.push({ type, value, modifier, name: called, prefix: encode(prefix), suffix: encode(suffix) });
    };
    while (at < tokens.length) {
      const char = take('char');
      const name = take('name');
      const matcher = takeMatcher(name);
      if (name !== undefined || matcher !== undefined) {
        let prefix = char?.value ?? '';
        if (prefix !== '' && prefix !== options.prefix) {
          pending += prefix;
          prefix = '';
        }
        flush();
        add(prefix, name, matcher, '', takeModifier());
        continue;
      }
      const fixed = char ?? take('escaped');
      if (fixed !== undefined) {
        pending += fixed.value;
        continue;
      }
      if (take('open') !== undefined) {
        const prefix = text();
        const inner = take('name');
        const innerMatcher = takeMatcher(inner);
        const suffix = text();
        need('close');
        add(prefix, inner, innerMatcher, suffix, takeModifier());
        continue;
      }
      flush();
      need('end');
    }
    return parts;
  };
  const segmentOf = ({ delimiter }) => `[^${escapeRegExp(delimiter)}]+?`;

  const sourceOf = (parts, options) => {
    let source = '^';
    for (const { type, value, modifier, prefix, suffix } of parts) {
      if (type === 'fixed') {
        source += modifier === '' ? escapeRegExp(value) : `(?:${escapeRegExp(value)})${modifier}`;
        continue;
      }
      const inner = type === 'segment' ? segmentOf(options) : type === 'full' ? '.*' : value;
      const before = escapeRegExp(prefix);
      const after = escapeRegExp(suffix);
      const single = modifier === '' || modifier === '?';
      if (prefix === '' && suffix === '') source += single ? `(${inner})${modifier}` : `((?:${inner})${modifier})`;
      else if (single) source += `(?:${before}(${inner})${after})${modifier}`;
      else
        source += `(?:${before}((?:${inner})(?:${after}${before}(?:${inner}))*)${after})${modifier === '*' ? '?' : ''}`;
    }
    return `${source}$`;
  };

  const patternOf = (parts, options) => {
    let text = '';
    parts.forEach((part, i) => {
      const { type, value, modifier, name, prefix, suffix } = part;
      if (type === 'fixed') {
        text += modifier === '' ? escapePattern(value) : `{${escapePattern(value)}}${modifier}`;
        return;
      }
      const previous = parts[i - 1];
      const next = parts[i + 1];
      const isDigit = (c) => c >= '0' && c <= '9';
      const custom = !isDigit(name[0]);
      let grouped = suffix !== '' || (prefix !== '' && prefix !== options.prefix);
      if (!grouped && custom && type === 'segment' && modifier === '' && next !== undefined &&
        next.prefix === '' && next.suffix === '') {
        grouped = next.type === 'fixed' ? isName([...next.value][0], false) : isDigit(next.name[0]);
      }
      if (!grouped && prefix === '' && previous?.type === 'fixed' && previous.value !== '' && options.prefix !== '') {
        grouped = previous.value.endsWith(options.prefix);
      }
      if (grouped) text += '{';
      text += escapePattern(prefix);
      if (custom) text += `:${name}`;
      if (type === 'regexp') {
        text += `(${value})`;
      } else if (type === 'segment' && !custom) {
        text += `(${segmentOf(options)})`;
      } else if (type === 'full') {
        const short = !custom && (previous === undefined || previous.type === 'fixed' ||
          previous.modifier !== '' || grouped || prefix !== '');
        text += short ? '*' : '(.*)';
      }
      if (type === 'segment' && custom && suffix !== '' && isName([...suffix][0], false)) text += '\\';
      text += escapePattern(suffix);
      if (grouped) text += '}';
      text += modifier;
    });
    return text;
  };

  // compile makes a component: {pattern, regexp, names, groups}.
  const compile = (input, encode, options, ignoreCase = false) => {
    const parts = parse(input, options, encode);
    let regexp;
    try {
      regexp = new RegExp(sourceOf(parts, options), ignoreCase ? 'vi' : 'v');
    } catch (error) {
      fail(`the pattern '${input.slice(0, 200)}' is not valid: ${error.message}`);
    }
    return {
      pattern: patternOf(parts, options), regexp,
      names: parts.filter(({ type }) => type !== 'fixed').map(({ name }) => name),
      groups: parts.some(({ type }) => type === 'regexp'),
    };
  };
  const exec = RegExp.prototype.exec;
  const matches = ({ regexp }, text) => Reflect.apply(exec, regexp, [text]);
  const matchesSpecial = (component) => schemes.some((scheme) => matches(component, scheme) !== null);

  // How values are canonicalized.
  const dummy = () => new URL('https://dummy.invalid/');
  const withSetter = (name, prefix = '') => (value) => {
    if (value === '') return '';
    const url = dummy();
    url[name] = prefix + value;
    return prefix === '' ? url[name] : url[name].slice(1);
  };
  const encode = {
    protocol(value) {
      if (value === '') return '';
      let url;
      try {
        url = new URL(`${value}://dummy.invalid/`);
      } catch {
        fail(`'${value.slice(0, 200)}' is not a protocol`);
      }
      return url.protocol.slice(0, -1);
    },
    username: withSetter('username'),
    password: withSetter('password'),
    search: withSetter('search', '?'),
    hash: withSetter('hash', '#'),
    hostname(value) {
      if (value === '') return '';
      const [host] = value.replace(/[\t\n\r]/g, '').split(/[/?#\\]/);
      if (/[@:]/.test(host.replace(/^\[.*\]$/, '')) || host === '')
        fail(`'${value.slice(0, 200)}' is not the name of a host`);
      try {
        return new URL(`https://${host}/`).hostname;
      } catch {
        return fail(`'${value.slice(0, 200)}' is not the name of a host`);
      }
    },
    ipv6(value) {
      if (/[^0-9a-fA-F[\]:]/.test(value)) fail(`'${value.slice(0, 200)}' is not an address`);
      return value.toLowerCase();
    },
    port(value, protocol) {
      if (value === '') return '';
      const digits = /^[0-9]+/.exec(value.replace(/[\t\n\r]/g, ''))?.[0];
      if (digits === undefined || Number(digits) > 65535) fail(`'${value.slice(0, 200)}' is not a port`);
      const port = String(Number(digits));
      return protocol !== undefined && specialPorts[protocol] === port ? '' : port;
    },
    pathname(value) {
      if (value === '') return '';
      const url = dummy();
      url.pathname = value[0] === '/' ? value : `/-${value}`;
      return value[0] === '/' ? url.pathname : url.pathname.slice(2);
    },
    opaque(value) {
      return value.replace(/[\t\n\r]/g, '').replace(/[^ -~]/gu, (c) => encodeURIComponent(c));
    },
  };

  // parseString makes an init of a pattern in one text.
  const parseString = (input) => {
    const chars = [...input];
    const tokens = tokenize(chars, true);
    const result = {};
    let start = 0;
    let at = 0;
    let step = 1;
    let depth = 0;
    let brackets = 0;
    let special = false;
    let state = 'init';
    const token = (i) => tokens[i] ?? tokens[tokens.length - 1];
    const is = (i, value) => token(i).value === value && ['char', 'escaped', 'invalid'].includes(token(i).type);
    const isSearch = () => {
      if (is(at, '?')) return true;
      if (token(at).value !== '?') return false;
      return at === 0 || !['name', 'regexp', 'close', 'asterisk'].includes(token(at - 1).type);
    };
    const component = () => chars.slice(token(start).index, token(at).index).join('');
    const order = ['protocol', 'authority', 'username', 'password', 'hostname', 'port', 'pathname', 'search', 'hash'];
    const change = (next, skip) => {
      if (!['init', 'authority', 'done'].includes(state)) result[state] = component();
      if (state !== 'init' && next !== 'done') {
        const from = order.indexOf(state);
        const to = order.indexOf(next);
        if (from < order.indexOf('hostname') && to > order.indexOf('hostname')) result.hostname ??= '';
        if (from < order.indexOf('pathname') && to > order.indexOf('pathname')) result.pathname ??= special ? '/' : '';
        if (from < order.indexOf('search') && to > order.indexOf('search')) result.search ??= '';
      }
      state = next;
      at += skip;
      start = at;
      step = 0;
    };
    const rewind = (next) => {
      at = start;
      step = 0;
      state = next;
    };
    const tail = () => {
      if (isSearch()) change('search', 1);
      else if (is(at, '#')) change('hash', 1);
    };
    const states = {
      init() { if (is(at, ':')) rewind('protocol'); },
      protocol() {
        if (!is(at, ':')) return;
        special = matchesSpecial(compile(component(), encode.protocol, plain));
        if (is(at + 1, '/') && is(at + 2, '/')) change('authority', 3);
        else change(special ? 'authority' : 'pathname', 1);
      },
      authority() {
        if (is(at, '@')) rewind('username');
        else if (is(at, '/') || isSearch() || is(at, '#')) rewind('hostname');
      },
      username() {
        if (is(at, ':')) change('password', 1);
        else if (is(at, '@')) change('hostname', 1);
      },
      password() { if (is(at, '@')) change('hostname', 1); },
      hostname() {
        if (is(at, '[')) brackets++;
        else if (is(at, ']')) brackets--;
        else if (is(at, ':') && brackets === 0) change('port', 1);
        else if (is(at, '/')) change('pathname', 0);
        else tail();
      },
      port() {
        if (is(at, '/')) change('pathname', 0);
        else tail();
      },
      pathname: tail,
      search() { if (is(at, '#')) change('hash', 1); },
      hash() {},
    };
    for (; at < tokens.length; at += step) {
      step = 1;
      const { type } = token(at);
      if (type === 'end') {
        if (state === 'init') {
          rewind('init');
          if (is(at, '#')) change('hash', 1);
          else if (isSearch()) change('search', 1);
          else change('pathname', 0);
          continue;
        }
        if (state === 'authority') {
          rewind('hostname');
          continue;
        }
        change('done', 0);
        break;
      }
      if (type === 'open') {
        depth++;
        continue;
      }
      if (depth > 0) {
        if (type !== 'close') continue;
        depth--;
      }
      states[state]();
    }
    if (result.hostname !== undefined) result.port ??= '';
    return result;
  };

  const isAbsolute = (path, pattern) => path[0] === '/' ||
    (pattern && (path.startsWith('\\/') || path.startsWith('{/')));
  // process completes an init by its baseURL. For a pattern its values stay as they are; otherwise they are
  // canonicalized.
  const process = (init, pattern, result) => {
    const lacks = (...members) => members.every((member) => init[member] === undefined);
    let base;
    if (init.baseURL !== undefined) {
      base = URL.parse(init.baseURL) ?? fail(`'${init.baseURL.slice(0, 200)}' is not a URL`);
      const from = (text) => (pattern ? escapePattern(text) : text);
      if (lacks('protocol')) result.protocol = from(base.protocol.slice(0, -1));
      if (!pattern && lacks('protocol', 'hostname', 'port', 'username')) result.username = base.username;
      if (!pattern && lacks('protocol', 'hostname', 'port', 'username', 'password')) result.password = base.password;
      if (lacks('protocol', 'hostname')) result.hostname = from(base.hostname);
      if (lacks('protocol', 'hostname', 'port')) result.port = base.port;
      if (lacks('protocol', 'hostname', 'port', 'pathname')) result.pathname = from(base.pathname);
      if (lacks('protocol', 'hostname', 'port', 'pathname', 'search')) result.search = from(base.search.slice(1));
      if (lacks('protocol', 'hostname', 'port', 'pathname', 'search', 'hash')) result.hash = from(base.hash.slice(1));
    }
    const as = (f, value) => (pattern ? value : f(value));
    if (init.protocol !== undefined) result.protocol = as(encode.protocol, init.protocol.replace(/:$/, ''));
    if (init.username !== undefined) result.username = as(encode.username, init.username);
    if (init.password !== undefined) result.password = as(encode.password, init.password);
    if (init.hostname !== undefined) result.hostname = as(encode.hostname, init.hostname);
    if (init.port !== undefined) result.port = as((value) => encode.port(value, result.protocol), init.port);
    if (init.pathname !== undefined) {
      let path = init.pathname;
      if (base !== undefined && (base.pathname[0] === '/' || base.host !== '') && !isAbsolute(path, pattern)) {
        const basePath = pattern ? escapePattern(base.pathname) : base.pathname;
        const slash = basePath.lastIndexOf('/');
        if (slash >= 0) path = basePath.slice(0, slash + 1) + path;
      }
      const special = (result.protocol ?? '') === '' || result.protocol in specialPorts;
      result.pathname = as(special ? encode.pathname : encode.opaque, path);
    }
    if (init.search !== undefined) result.search = as(encode.search, init.search.replace(/^\?/, ''));
    if (init.hash !== undefined) result.hash = as(encode.hash, init.hash.replace(/^#/, ''));
    return result;
  };

  const members = ['baseURL', 'hash', 'hostname', 'password', 'pathname', 'port', 'protocol', 'search', 'username'];
  const isInit = (input) => input === undefined || input === null || typeof input === 'object' ||
    typeof input === 'function';
  const toInit = (input) => {
    const init = {};
    for (const name of members) {
      const value = input?.[name];
      if (value !== undefined) init[name] = usvString(value);
    }
    return init;
  };

  const patterns = slot(); // components by name
  // match returns the result of exec, or null.
  const match = (components, input, baseURL, count) => {
    let values;
    const inputs = [];
    if (isInit(input)) {
      const init = toInit(input);
      inputs.push(init);
      if (baseURL !== undefined) fail('a base URL is only for a text: put baseURL into the object');
      try {
        values = process(init, false, {
          protocol: '', username: '', password: '', hostname: '', port: '', pathname: '', search: '', hash: '',
        });
      } catch {
        return null;
      }
    } else {
      const text = usvString(input);
      const base = baseURL === undefined ? undefined : usvString(baseURL);
      inputs.push(text);
      if (base !== undefined) inputs.push(base);
      const url = URL.parse(text, base);
      if (url === null) return null;
      const { username, password, hostname, port, pathname } = url;
      values = { protocol: url.protocol.slice(0, -1), username, password, hostname,
        port, pathname, search: url.search.slice(1), hash: url.hash.slice(1) };
    }
    const result = { inputs };
    for (const name of names) {
      const found = matches(components[name], values[name]);
      if (found === null) return null;
      const groups = {};
      components[name].names.forEach((group, i) => { groups[group] = found[i + 1]; });
      result[name] = { input: values[name], groups };
    }
    return result;
  };

  class URLPattern {
    constructor(input = undefined, baseURL = undefined, options = undefined) {
      let base;
      if (arguments.length > 2 || !isInit(baseURL)) base = usvString(baseURL);
      else options = baseURL;
      if (!isInit(options)) fail('the options must be an object');
      const ignoreCase = !!options?.ignoreCase;
      let init;
      if (isInit(input)) {
        init = toInit(input);
        if (base !== undefined) fail('a base URL is only for a text: put baseURL into the object');
      } else {
        init = parseString(usvString(input));
        if (base !== undefined) init.baseURL = base;
        else if (init.protocol === undefined) fail('a relative pattern needs a base URL');
      }
      const texts = process(init, true, {});
      for (const name of names) texts[name] ??= '*';
      if (texts.protocol in specialPorts && specialPorts[texts.protocol] === texts.port) texts.port = '';
      const components = {};
      components.protocol = compile(texts.protocol, encode.protocol, plain);
      components.username = compile(texts.username, encode.username, plain);
      components.password = compile(texts.password, encode.password, plain);
      const isAddress = /^(\[|\{\[|\\\[)/.test(texts.hostname);
      components.hostname = compile(texts.hostname, isAddress ? encode.ipv6 : encode.hostname, forHostname);
      components.port = compile(texts.port, (value) => encode.port(value), plain);
      const special = matchesSpecial(components.protocol);
      components.pathname = compile(texts.pathname, special ? encode.pathname : encode.opaque,
        special ? forPathname : plain, ignoreCase);
      components.search = compile(texts.search, encode.search, plain, ignoreCase);
      components.hash = compile(texts.hash, encode.hash, plain, ignoreCase);
      patterns.set(this, components);
    }
    test(input = undefined, baseURL = undefined) { return match(patterns.of(this), input, baseURL) !== null; }
    exec(input = undefined, baseURL = undefined) { return match(patterns.of(this), input, baseURL); }
    get hasRegExpGroups() {
      const components = patterns.of(this);
      return names.some((name) => components[name].groups);
    }
  }
  for (const name of names) {
    const { get } = Object.getOwnPropertyDescriptor({ get [name]() { return patterns.of(this)[name].pattern; } }, name);
    Object.defineProperty(URLPattern.prototype, name, { get, configurable: true });
  }
  decorate(URLPattern.prototype, 'URLPattern');
  Object.defineProperty(URLPattern.prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value(depth, options, inspect) {
      if (depth < 0) return this;
      const shown = {};
      for (const name of [...names, 'hasRegExpGroups']) shown[name] = this[name];
      return `URLPattern ${inspect(shown, options)}`;
    },
    writable: true, configurable: true,
  });
  exports.URLPattern = URLPattern;
})
