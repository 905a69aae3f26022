// Request and Response (https://fetch.spec.whatwg.org/#fetch-api); fetch itself is in fetching.js. Their messages are
// Node's.
(function (kernel, require, module, exports) {
  'use strict';
  const { inspect } = require('internal/inspect');
  const { Headers, add, contains, freeze, token } = require('internal/headers');
  const bodies = require('internal/body');
  exports.Headers = Headers;

  const dictionary = (value, name) => {
    if (value === undefined || value === null) return {};
    if (typeof value !== 'object' && typeof value !== 'function')
      throw new TypeError(`${name}: Expected ${inspect(value)} to be one of: Null, Undefined, Object.`);
    return value;
  };
  const parse = (text) => {
    try {
      return new URL(text);
    } catch (error) {
      throw new TypeError(`Failed to parse URL from ${text}`, { cause: error });
    }
  };
  // shows makes properties what util.inspect and the console show.
  const shows = (type, slot, names, read) => {
    kernel.inspect(slot, type.name, (data) => names.flatMap((name) => [name, read(data, name)]));
    const show = { [inspect.custom](depth, options) {
      if (depth < 0) return this;
      const shown = {};
      for (const name of names) shown[name] = this[name];
      return `${type.name} ${inspect(shown, { ...options, depth })}`;
    } }[inspect.custom];
    Object.defineProperty(type.prototype, inspect.custom,
      { value: show, writable: true, enumerable: false, configurable: true });
  };

  const responses = kernel.slot(); // {body, headers, status, statusText, type, url, redirected}
  const nullStatus = [101, 204, 205, 304];
  const phrase = /^[\t \x21-\x7e\x80-\xff]*$/;
  const setUp = (object, body, init, defaultType) => {
    const { status = 200, statusText = '', headers } = dictionary(init, 'Response constructor');
    const code = Math.trunc(Number(status)) & 0xffff;
    if (code < 200 || code > 599) throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    const text = `${statusText}`;
    if (!phrase.test(text)) throw new TypeError('Invalid statusText');
    const data = { body: null, headers: new Headers(headers), status: code, statusText: text,
      type: 'default', url: '', redirected: false };
    if (body !== null && body !== undefined) {
      if (nullStatus.includes(code)) throw new TypeError(`Response constructor: Invalid response status code ${code}`);
      const [extracted, type] = bodies.extract(body);
      data.body = extracted;
      const contentType = defaultType ?? type;
      if (contentType !== null && !contains(data.headers, 'content-type'))
        add(data.headers, 'content-type', contentType);
    }
    responses.set(object, data);
  };
  const bare = (data) => {
    const response = Object.create(Response.prototype);
    responses.set(response, {
      body: null, status: 200, statusText: '', type: 'default', url: '', redirected: false, ...data,
    });
    return response;
  };

  exports.newResponse = bare;
  exports.nullStatus = nullStatus;

  class Response {
    constructor(body = null, init = {}) { setUp(this, body, init); }
    static error() { return bare({ type: 'error', status: 0, headers: freeze(new Headers()) }); }
    static json(data, init = {}) {
      if (arguments.length < 1) throw new TypeError('Response.json: 1 argument required, but 0 found.');
      const text = JSON.stringify(data);
      if (text === undefined) throw new TypeError('Value is not JSON serializable');
      const response = Object.create(Response.prototype);
      setUp(response, text, init, 'application/json');
      return response;
    }
    static redirect(url, status = 302) {
      if (arguments.length < 1) throw new TypeError('Response.redirect: 1 argument required, but 0 found.');
      const { href } = parse(`${url}`);
      const code = Math.trunc(Number(status)) & 0xffff;
      if (![301, 302, 303, 307, 308].includes(code)) throw new RangeError(`Invalid status code ${status}`);
      return bare({ status: code, headers: freeze(new Headers([['location', href]])) });
    }
    get type() { return responses.of(this).type; }
    get url() { return responses.of(this).url; }
    get redirected() { return responses.of(this).redirected; }
    get status() { return responses.of(this).status; }
    get ok() { return responses.of(this).status >= 200 && responses.of(this).status < 300; }
    get statusText() { return responses.of(this).statusText; }
    get headers() { return responses.of(this).headers; }
    clone() {
      const data = responses.of(this);
      const headers = new Headers(data.headers);
      return bare({
        ...data, body: bodies.clone(data.body, 'Response'), headers: data.type === 'default'
          ? headers : freeze(headers),
      });
    }
  }
  kernel.decorate(Response.prototype, 'Response');
  bodies.mixin(Response, responses);
  shows(Response, responses, ['status', 'statusText', 'headers', 'body', 'bodyUsed',
    'ok', 'redirected', 'type', 'url'], (data, name) => {
    if (name === 'ok') return data.status >= 200 && data.status < 300;
    return name === 'body' ? data.body && {} : name === 'bodyUsed' ? bodies.isUsed(data.body) : data[name] ?? false;
  });
  exports.Response = Response;

  const requests = exports.requests = kernel.slot(); // {body, headers, method, url, signal, and what options say}
  const choices = {
    mode: ['navigate', 'same-origin', 'no-cors', 'cors'],
    credentials: ['omit', 'same-origin', 'include'],
    cache: ['default', 'no-store', 'reload', 'no-cache', 'force-cache', 'only-if-cached'],
    redirect: ['follow', 'manual', 'error'],
    referrerPolicy: ['', 'no-referrer', 'no-referrer-when-downgrade', 'same-origin',
      'origin', 'strict-origin', 'origin-when-cross-origin',
      'strict-origin-when-cross-origin', 'unsafe-url'],
  };
  const plain = {
    method: 'GET', referrer: 'about:client', referrerPolicy: '', mode: 'cors', credentials: 'same-origin',
    cache: 'default', redirect: 'follow',
    integrity: '', keepalive: false,
  };
  const methodOf = (value) => {
    const method = `${value}`;
    if (!token.test(method)) throw new TypeError(`'${method}' is not a valid HTTP method.`);
    const upper = method.toUpperCase();
    if (['CONNECT', 'TRACE', 'TRACK'].includes(upper)) throw new TypeError(`'${method}' HTTP method is unsupported.`);
    return ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'].includes(upper) ? upper : method;
  };
  const referrerOf = (value) => {
    const text = `${value}`;
    if (text === '') return 'no-referrer';
    let url;
    try {
      url = new URL(text);
    } catch (error) {
      throw new TypeError(`Referrer "${text}" is not a valid URL.`, { cause: error });
    }
    return url.protocol === 'about:' && url.hostname === 'client' ? 'client' : url.href;
  };

  class Request {
    constructor(input, init = {}) {
      if (arguments.length < 1) throw new TypeError('Request constructor: 1 argument required, but 0 found.');
      const from = requests.get(input);
      init = dictionary(init, 'Request constructor');
      const data = from === undefined ? { ...plain, body: null, url: '', duplex: 'half' } : { ...from };
      let source = from?.signal;
      if (from === undefined) {
        const url = parse(`${input}`);
        if (url.username !== '' || url.password !== '')
          throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${input}`);
        data.url = url.href;
      }
      if (init.window !== undefined && init.window !== null)
        throw new TypeError("'window' option 'client' must be null");
      for (const name of Object.keys(choices)) {
        if (init[name] === undefined) continue;
        const value = `${init[name]}`;
        if (!choices[name].includes(value)) {
          throw new TypeError(`Request constructor: ${value} is not an accepted type. ` +
            `Expected one of ${choices[name].join(', ')}.`);
        }
        data[name] = value;
      }
      if (init.priority !== undefined && !['high', 'low', 'auto'].includes(`${init.priority}`)) {
        throw new TypeError(`Request constructor: ${init.priority} is not an accepted type. ` +
          'Expected one of high, low, auto.');
      }
      if (init.duplex !== undefined && `${init.duplex}` !== 'half') {
        throw new TypeError(`Request constructor: ${init.duplex} is not an accepted type. Expected one of half.`);
      }
      if (init.mode === 'navigate') throw new TypeError('Request constructor: invalid request mode navigate.');
      if (init.referrer !== undefined)
        data.referrer = referrerOf(init.referrer).replace(/^client$/, 'about:client').replace(/^no-referrer$/, '');
      if (data.cache === 'only-if-cached' && data.mode !== 'same-origin')
        throw new TypeError("'only-if-cached' can be set only with 'same-origin' mode");
      if (init.integrity !== undefined) data.integrity = `${init.integrity}`;
      if (init.keepalive !== undefined) data.keepalive = !!init.keepalive;
      if (init.method !== undefined) data.method = methodOf(init.method);
      if (init.signal !== undefined) {
        if (init.signal !== null && !kernel.isSignal(init.signal))
          throw new TypeError("Failed to construct 'Request': member signal is not of type AbortSignal.");
        source = init.signal;
      }
      data.signal = AbortSignal.any(source ? [source] : []);
      data.headers = new Headers(init.headers ?? from?.headers);
      if (data.mode === 'no-cors' && !['GET', 'HEAD', 'POST'].includes(data.method))
        throw new TypeError(`'${data.method} is unsupported in no-cors mode.`);
      const given = init.body ?? null;
      const hasBody = given !== null || data.body !== null;
      if (hasBody && (data.method === 'GET' || data.method === 'HEAD'))
        throw new TypeError('Request with GET/HEAD method cannot have body.');
      if (given !== null) {
        const [body, type] = bodies.extract(given);
        if (type !== null && !contains(data.headers, 'content-type')) add(data.headers, 'content-type', type);
        if (body.stream !== undefined && init.duplex === undefined)
          throw new TypeError('RequestInit: duplex option is required when sending a body.');
        data.body = body;
      } else if (data.body !== null) { // the new request takes over the body
        data.body = bodies.transfer(data.body);
      }
      requests.set(this, data);
    }
    get method() { return requests.of(this).method; }
    get url() { return requests.of(this).url; }
    get headers() { return requests.of(this).headers; }
    get destination() { return requests.of(this) && ''; }
    get referrer() { return requests.of(this).referrer; }
    get referrerPolicy() { return requests.of(this).referrerPolicy; }
    get mode() { return requests.of(this).mode; }
    get credentials() { return requests.of(this).credentials; }
    get cache() { return requests.of(this).cache; }
    get redirect() { return requests.of(this).redirect; }
    get integrity() { return requests.of(this).integrity; }
    get keepalive() { return requests.of(this).keepalive; }
    get isReloadNavigation() { return requests.of(this) === undefined; }
    get isHistoryNavigation() { return requests.of(this) === undefined; }
    get signal() { return requests.of(this).signal; }
    get duplex() { return requests.of(this).duplex; }
    clone() {
      const data = requests.of(this);
      const body = bodies.clone(data.body, 'Request');
      const copy = new Request(data.url);
      Object.assign(requests.of(copy), {
        ...data, body, headers: new Headers(data.headers), signal: AbortSignal.any([data.signal]),
      });
      return copy;
    }
  }
  kernel.decorate(Request.prototype, 'Request');
  bodies.mixin(Request, requests);
  shows(Request, requests, ['method', 'url', 'headers', 'destination', 'referrer',
    'referrerPolicy', 'mode', 'credentials', 'cache', 'redirect',
    'integrity', 'keepalive', 'isReloadNavigation', 'isHistoryNavigation', 'signal'],
      (data, name) => (name === 'destination' ? '' : data[name] ?? false));
  exports.Request = Request;
})
