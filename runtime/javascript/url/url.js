// url: URL and URLSearchParams, and the older functions on texts and Url objects.
(function (kernel, require, module, exports) {
  'use strict';
  const { define, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } = require('internal/errors');
  const { validateString, validateObject } = require('internal/validators');
  const querystring = require('querystring');
  define('ERR_INVALID_URL_SCHEME', TypeError, (scheme) => `The URL must be of scheme ${scheme}`);
  define('ERR_INVALID_FILE_URL_PATH', TypeError, (reason) => `File URL path ${reason}`);
  define('ERR_INVALID_FILE_URL_HOST', TypeError,
    (platform) => `File URL host must be "localhost" or empty on ${platform}`);
  define('ERR_INVALID_URL', TypeError, () => 'Invalid URL');
  const {
    ERR_INVALID_URL_SCHEME, ERR_INVALID_FILE_URL_PATH, ERR_INVALID_FILE_URL_HOST, ERR_INVALID_URL, ERR_MISSING_ARGS,
  } = require('internal/errors');

  const hasHost = new Set([
    'http', 'https', 'ftp', 'gopher', 'file', 'ws', 'wss',
  ].flatMap((name) => [name, `${name}:`]));
  const hostless = new Set(['javascript', 'javascript:']);
  const endsHost = /[\t\n\r "%';<>\\^`{|}]/;
  const escaped = /[\t\n\r "'<>\\^`{|}]/g;
  const escapeCharacter = (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  const ascii = (host) => {
    if (/^[\x00-\x7f]*$/.test(host)) return host;
    try { return new URL(`http://${host}`).hostname; } catch { return ''; }
  };

  function Url() {
    for (const name of [
      'protocol', 'slashes', 'auth', 'host', 'port', 'hostname', 'hash', 'search', 'query', 'pathname', 'path', 'href',
    ]) {
      this[name] = null;
    }
  }

  Url.prototype.parse = function (text, withQuery, slashesMeanHost) {
    validateString(text, 'url');
    let rest = text.replace(/^[\x00-\x20\u00a0\ufeff]+|[\x00-\x20\u00a0\ufeff]+$/g, '');
    const question = rest.indexOf('?');
    const head = (question < 0 ? rest : rest.slice(0, question)).split('#')[0];
    rest = head.replaceAll('\\', '/') + rest.slice(head.length);
    if (!slashesMeanHost && !rest.includes('#')) {
      const simple = /^(\/\/?(?!\/)[^?\s]*)(\?[^\s]*)?$/.exec(rest);
      if (simple && !/["'<>\\^`{|}@]/.test(rest)) {
        this.path = this.href = rest;
        [, this.pathname] = simple;
        this.search = simple[2] ?? null;
        this.query = simple[2] ? (withQuery ? querystring.parse(simple[2].slice(1)) : simple[2].slice(1)) : withQuery
          ? { __proto__: null } : null;
        return this;
      }
    }
    const protocol = /^[a-z0-9.+-]+:/i.exec(rest)?.[0];
    const lower = protocol?.toLowerCase();
    if (protocol) {
      this.protocol = lower;
      rest = rest.slice(protocol.length);
    }
    let slashes = false;
    if (slashesMeanHost || protocol || /^\/\/[^@/]+@[^@/]+/.test(rest)) {
      slashes = rest.startsWith('//');
      if (slashes && !(lower && hostless.has(lower))) {
        rest = rest.slice(2);
        this.slashes = true;
      }
    }
    if (!hostless.has(lower) && (slashes || (protocol && !hasHost.has(protocol)))) {
      // The host ends at the first of /, ? and #, after the last @ before that.
      let end = rest.search(/[/?#]/);
      if (end < 0) end = rest.length;
      const head = rest.slice(0, end).replace(/[\t\r\n]/g, '');
      rest = head + rest.slice(end);
      end = head.length;
      const at = rest.lastIndexOf('@', end - 1);
      let start = 0;
      if (at >= 0) {
        this.auth = decodeURIComponent(rest.slice(0, at));
        start = at + 1;
      }
      const wrong = rest.slice(start, end).search(endsHost);
      const stop = wrong < 0 ? end : start + wrong;
      this.host = rest.slice(start, stop);
      rest = rest.slice(stop);
      const port = /:[0-9]*$/.exec(this.host)?.[0];
      let { host } = this;
      if (port !== undefined) {
        if (port !== ':') this.port = port.slice(1);
        host = host.slice(0, -port.length);
      }
      this.hostname = host;
      const six = host.startsWith('[') && host.endsWith(']');
      const invalid = () => Object.assign(ERR_INVALID_URL(), { input: text });
      if (six && /[\0\t\n\r #%/<>?@\\^|]/.test(host)) throw invalid();
      if (!six) {
        for (let i = 0; i < host.length; i++) { // what cannot be in a name belongs to the path
          if (!'/\\#?:'.includes(host[i])) continue;
          rest = `/${host.slice(i)}${rest}`;
          this.hostname = host.slice(0, i);
          break;
        }
      }
      this.hostname = this.hostname.length > 255 ? '' : this.hostname.toLowerCase();
      if (!six && this.hostname !== '') {
        this.hostname = ascii(this.hostname);
        if (this.hostname === '' || /[\0\t\n\r #%/:<>?@[\\\]^|]/.test(this.hostname)) throw invalid();
      }
      this.host = this.hostname + (this.port ? `:${this.port}` : '');
      if (six) {
        this.hostname = this.hostname.slice(1, -1);
        if (rest[0] !== '/') rest = `/${rest}`;
      }
    }
    if (!hostless.has(lower)) rest = rest.replace(escaped, escapeCharacter);
    const hash = rest.indexOf('#');
    if (hash >= 0) {
      this.hash = rest.slice(hash);
      rest = rest.slice(0, hash);
    }
    const query = rest.indexOf('?');
    if (query >= 0) {
      this.search = rest.slice(query);
      this.query = rest.slice(query + 1);
      if (withQuery) this.query = querystring.parse(this.query);
      rest = rest.slice(0, query);
    } else if (withQuery) {
      this.search = null;
      this.query = { __proto__: null };
    }
    if (rest !== '') this.pathname = rest;
    if (hasHost.has(lower) && this.hostname && !this.pathname) this.pathname = '/';
    if (this.pathname || this.search) this.path = (this.pathname || '') + (this.search || '');
    this.href = this.format();
    return this;
  };

  Url.prototype.format = function () {
    const auth = this.auth ? `${encodeURIComponent(this.auth).replace(/%3A/gi, ':')}@` : '';
    let protocol = this.protocol || '';
    let pathname = this.pathname || '';
    let hash = this.hash || '';
    let host = '';
    let query = '';
    if (this.host) {
      host = auth + this.host;
    } else if (this.hostname) {
      host = auth + (this.hostname.includes(':') && !this.hostname.startsWith('[')
        ? `[${this.hostname}]` : this.hostname);
      if (this.port) host += `:${this.port}`;
    }
    if (this.query !== null && typeof this.query === 'object') query = querystring.stringify(this.query);
    let search = this.search || (query && `?${query}`) || '';
    if (protocol && !protocol.endsWith(':')) protocol += ':';
    pathname = pathname.replace(/[?#]/g, encodeURIComponent);
    if (this.slashes || hasHost.has(protocol)) {
      if (this.slashes || host) {
        if (pathname && pathname[0] !== '/') pathname = `/${pathname}`;
        host = `//${host}`;
      } else if (/^file:?$/.test(protocol)) {
        host = '//';
      }
    }
    search = search.replaceAll('#', '%23');
    if (hash && hash[0] !== '#') hash = `#${hash}`;
    if (search && search[0] !== '?') search = `?${search}`;
    return protocol + host + pathname + search + hash;
  };

  Url.prototype.resolve = function (relative) { return this.resolveObject(parse(relative, false, true)).format(); };

  // splitAuth takes the name of a user out of a host, as in mailto:user@host.
  const splitAuth = (url) => {
    if (!url.host || url.host.indexOf('@') <= 0) return;
    const [auth, host] = url.host.split('@');
    url.auth = auth;
    url.host = url.hostname = host;
  };
  Url.prototype.resolveObject = function (relative) {
    if (typeof relative === 'string') relative = new Url().parse(relative, false, true);
    const result = Object.assign(new Url(), this);
    result.hash = relative.hash;
    if (relative.href === '') {
      result.href = result.format();
      return result;
    }
    if (relative.slashes && !relative.protocol) { // another host
      for (const key of Object.keys(relative)) if (key !== 'protocol') result[key] = relative[key];
      if (hasHost.has(result.protocol) && result.hostname && !result.pathname) result.path = result.pathname = '/';
      result.href = result.format();
      return result;
    }
    if (relative.protocol && relative.protocol !== result.protocol) {
      if (!hasHost.has(relative.protocol)) {
        Object.assign(result, relative);
        result.href = result.format();
        return result;
      }
      result.protocol = relative.protocol;
      if (!relative.host && !/^file:?$/.test(relative.protocol) && !hostless.has(relative.protocol)) {
        const parts = (relative.pathname || '').split('/');
        while (parts.length && !(relative.host = parts.shift()));
        relative.host ||= '';
        relative.hostname ||= '';
        if (parts[0] !== '') parts.unshift('');
        if (parts.length < 2) parts.unshift('');
        result.pathname = parts.join('/');
      } else {
        result.pathname = relative.pathname;
      }
      for (const key of ['search', 'query', 'auth', 'port']) result[key] = relative[key];
      result.host = relative.host || '';
      result.hostname = relative.hostname || relative.host;
      if (result.pathname || result.search) result.path = (result.pathname || '') + (result.search || '');
      result.slashes ||= relative.slashes;
      result.href = result.format();
      return result;
    }
    const baseIsAbsolute = result.pathname?.[0] === '/';
    const isAbsolute = relative.host || relative.pathname?.[0] === '/';
    let mustEnd = isAbsolute || baseIsAbsolute || (result.host && relative.pathname);
    const dropAll = mustEnd;
    let path = result.pathname?.split('/') || [];
    const relativePath = relative.pathname?.split('/') || [];
    const noHost = result.protocol && !hasHost.has(result.protocol);
    if (noHost) {
      result.hostname = '';
      result.port = null;
      if (result.host) {
        if (path[0] === '') path[0] = result.host;
        else path.unshift(result.host);
      }
      result.host = '';
      if (relative.protocol) {
        relative.hostname = null;
        relative.port = null;
        result.auth = null;
        if (relative.host) {
          if (relativePath[0] === '') relativePath[0] = relative.host;
          else relativePath.unshift(relative.host);
        }
        relative.host = null;
      }
      mustEnd &&= relativePath[0] === '' || path[0] === '';
    }
    if (isAbsolute) {
      if (relative.host || relative.host === '') {
        if (result.host !== relative.host) result.auth = null;
        result.host = relative.host;
        result.port = relative.port;
      }
      if (relative.hostname || relative.hostname === '') {
        if (result.hostname !== relative.hostname) result.auth = null;
        result.hostname = relative.hostname;
      }
      result.search = relative.search;
      result.query = relative.query;
      path = relativePath;
    } else if (relativePath.length) {
      path.pop();
      path = path.concat(relativePath);
      result.search = relative.search;
      result.query = relative.query;
    } else if (relative.search !== null && relative.search !== undefined) {
      if (noHost) {
        result.hostname = result.host = path.shift();
        splitAuth(result);
      }
      result.search = relative.search;
      result.query = relative.query;
      if (result.pathname !== null || result.search !== null)
        result.path = (result.pathname || '') + (result.search || '');
      result.href = result.format();
      return result;
    }
    if (!path.length) {
      result.pathname = null;
      result.path = result.search ? `/${result.search}` : null;
      result.href = result.format();
      return result;
    }
    const last = path[path.length - 1];
    const trailing = ((result.host || relative.host || path.length > 1) && (last === '.' || last === '..')) ||
      last === '';
    let up = 0;
    for (let i = path.length - 1; i >= 0; i--) {
      if (path[i] === '.') {
        path.splice(i, 1);
      } else if (path[i] === '..') {
        path.splice(i, 1);
        up++;
      } else if (up) {
        path.splice(i, 1);
        up--;
      }
    }
    if (!mustEnd && !dropAll) while (up-- > 0) path.unshift('..');
    if (mustEnd && path[0] !== '' && (!path[0] || path[0][0] !== '/')) path.unshift('');
    if (trailing && path.join('/').slice(-1) !== '/') path.push('');
    const absolute = path[0] === '' || (path[0] && path[0][0] === '/');
    if (noHost) {
      result.hostname = result.host = absolute ? '' : path.length ? path.shift() : '';
      splitAuth(result);
    }
    mustEnd ||= result.host && path.length;
    if (mustEnd && !absolute) path.unshift('');
    if (path.length) {
      result.pathname = path.join('/');
    } else {
      result.pathname = null;
      result.path = null;
    }
    if (result.pathname !== null || result.search !== null)
      result.path = (result.pathname || '') + (result.search || '');
    result.auth = relative.auth || result.auth;
    result.slashes ||= relative.slashes;
    result.href = result.format();
    return result;
  };

  const parse = (url, withQuery, slashesMeanHost) => (url instanceof Url ? url
    : new Url().parse(url, withQuery, slashesMeanHost));
  const isURL = (value) => value instanceof URL;

  const format = (url, options) => {
    if (typeof url === 'string') {
      url = parse(url);
    } else if (typeof url !== 'object' || url === null) {
      throw ERR_INVALID_ARG_TYPE('urlObject', ['Object', 'string'], url);
    } else if (isURL(url)) {
      const { fragment = true, search = true, auth = true, unicode = false } = options ?? {};
      if (options !== undefined) validateObject(options, 'options');
      const copy = new URL(url.href);
      if (!fragment) copy.hash = '';
      if (!search) copy.search = '';
      if (!auth) copy.username = copy.password = '';
      return unicode ? copy.href.replace(copy.hostname, exports.domainToUnicode(copy.hostname)) : copy.href;
    }
    return Url.prototype.format.call(url);
  };

  const fileURLToPath = (file) => {
    if (typeof file === 'string') file = new URL(file);
    else if (!isURL(file)) throw ERR_INVALID_ARG_TYPE('path', ['string', 'URL'], file);
    if (file.protocol !== 'file:') throw ERR_INVALID_URL_SCHEME('file');
    if (file.hostname !== '') throw ERR_INVALID_FILE_URL_HOST('linux');
    if (/%2f/i.test(file.pathname)) throw ERR_INVALID_FILE_URL_PATH('must not include encoded / characters');
    return decodeURIComponent(file.pathname);
  };
  const pathToFileURL = (path, options = undefined) => {
    validateString(path, 'path');
    if (options?.windows) return windowsFileURL(path);
    const whole = require('path').resolve(path) + (path.endsWith('/') && path !== '/' ? '/' : '');
    return new URL(`file://${whole.replace(/[%\\\n\r\t?# "[\]^|~]/g, escapeCharacter)}`);
  };
  const windowsFileURL = (path) => {
    const encoded = (text) => text.replaceAll('\\', '/').replace(/[%\n\r\t?# "[\]^|~]/g, escapeCharacter);
    if (!path.startsWith('\\\\')) {
      const whole = require('path/win32').resolve(path);
      return new URL(`file:///${encoded(whole)}${/[\\/]$/.test(path) && !whole.endsWith('\\') ? '/' : ''}`);
    }
    const start = path.startsWith('\\\\?\\UNC\\') ? 8 : 2;
    const end = path.indexOf('\\', start);
    if (end < 0) throw ERR_INVALID_ARG_VALUE('path', path, 'Missing UNC resource path');
    if (end === 2) throw ERR_INVALID_ARG_VALUE('path', path, 'Empty UNC servername');
    const url = new URL('file://');
    url.hostname = exports.domainToASCII(path.slice(start, end));
    url.pathname = encoded(path.slice(end));
    return url;
  };
  const urlToHttpOptions = (url) => {
    const { hostname, pathname, port, username, password, search } = url;
    return {
      __proto__: null, ...url, protocol: url.protocol, hostname: hostname?.startsWith('[')
        ? hostname.slice(1, -1) : hostname, hash: url.hash, search,
      pathname, path: `${pathname || ''}${search || ''}`, href: url.href,
      ...(port !== '' ? { port: Number(port) } : {}),
      ...(username || password ? { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` } : {}),
    };
  };
  const hostname = (args) => {
    if (args.length === 0) throw ERR_MISSING_ARGS('domain');
    try {
      return new URL(`ws://${args[0]}`).hostname;
    } catch {
      return '';
    }
  };
  Object.assign(exports, {
    Url, parse, format, urlToHttpOptions, fileURLToPath, pathToFileURL, URL, URLSearchParams,
    resolve: (base, relative) => parse(base, false, true).resolve(relative),
    resolveObject: (base, relative) => (base ? parse(base, false, true).resolveObject(relative) : relative),
    domainToASCII(domain) { return hostname(arguments); },
    domainToUnicode(domain) { return require('punycode').toUnicode(hostname(arguments)); },
  });
})
