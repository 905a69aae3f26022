// fetch (https://fetch.spec.whatwg.org/#fetch-method). The host makes the requests, by the rules of whoever runs the
// code; it follows redirects, and knows neither cookies nor caches nor origins.
(function (kernel, require, module, exports) {
  'use strict';
  const { Request, newResponse, nullStatus, requests } = require('internal/fetch');
  const { Headers, add, freeze } = require('internal/headers');
  const bodies = require('internal/body');
  let ids = 1;

  // end ends a request and its response. In a session, the functions of an earlier script may be gone.
  const end = exports.end = (id) => {
    try {
      kernel.fetchEnd(id);
    } catch { /* so is the request */ }
  };

  // begin makes a request of internal/http/client, which is told its number first.
  exports.begin = (tell, ...request) => {
    const id = ids++;
    tell(id);
    return kernel.fetchBegin(id, ...request);
  };
  const hasNoBody = exports.hasNoBody = (method, status) => method === 'HEAD' || nullStatus.includes(status);

  // A request is ended when nobody can read its response any more.
  const forgotten = new FinalizationRegistry(end);

  // A Source is the source of a body: see body.js. It is in no cycle, so that it is known at once when nobody has it.
  class Source {
    constructor(id, { data, done }) {
      this.id = id;
      this.first = data;
      this.over = done;
      this.failed = undefined; // {reason}
      this.controller = undefined;
      this.token = {}; // the registry holds it
      if (!done) forgotten.register(this, id, this.token);
    }
    opened(controller) { this.controller = controller; }
    async read() {
      for (;;) {
        if (this.failed !== undefined) throw this.failed.reason;
        const { first } = this;
        if (first !== null) {
          this.first = null;
          return first;
        }
        if (this.over) return undefined;
        let part;
        try {
          part = await kernel.fetchRead(this.id);
        } catch (error) {
          if (this.failed !== undefined) throw this.failed.reason;
          this.finish();
          throw error;
        }
        if (this.failed !== undefined) throw this.failed.reason;
        if (part.done) this.finish();
        if (part.data !== null) return part.data;
      }
    }
    finish() {
      this.over = true;
      forgotten.unregister(this.token);
    }
    cancel() {
      this.first = null;
      if (this.over) return;
      this.finish();
      end(this.id);
    }
    fail(reason) {
      if (this.over && this.first === null) return;
      this.failed = { reason };
      this.cancel();
      this.controller?.error(reason);
    }
  }

  exports.Source = Source;

  const respond = (data, got, body) => {
    const headers = new Headers();
    for (let i = 0; i < got.headers.length; i += 2) add(headers, got.headers[i], got.headers[i + 1]);
    const { status, statusText, redirected } = got;
    const url = got.url.replace(/#[^]*/, '');
    return newResponse({ status, statusText, url, redirected, type: 'basic', headers: freeze(headers), body });
  };

  // verify returns the bytes of a body, if they are those that the request wants: its integrity is a list of digests,
  // of which one of the strongest algorithm must fit (https://www.w3.org/TR/SRI/#does-response-match-metadatalist).
  const verify = async (integrity, body, url) => {
    const known = [
      ...integrity.matchAll(/(?<=^|[\t\n\f\r ])sha(256|384|512)-([A-Za-z0-9+/_-]+)={0,2}(?=$|[\t\n\f\r ?])/gi),
    ];
    if (body === null) throw new TypeError(`fetch: ${url} has no body whose integrity could be checked`);
    const bytes = await bodies.read(body);
    if (known.length === 0) return bytes;
    const strongest = known.reduce((best, [, size]) => Math.max(best, size), 0);
    const is = require('internal/crypto/hash').hash(`sha${strongest}`, bytes, 'base64').replace(/=+$/, '');
    for (const [, size, wanted] of known) {
      if (Number(size) === strongest && wanted.replaceAll('-', '+').replaceAll('_', '/') === is) return bytes;
    }
    throw new TypeError(`fetch: ${url} is not what integrity says: its digest is sha${strongest}-${is}`);
  };

  // partOf answers with the bytes of a blob that a header wants
  // (https://fetch.spec.whatwg.org/#simple-range-header-value).
  const partOf = (blob, range, url) => {
    const [, first, last] = /^bytes[\t ]*=[\t ]*(\d*)[\t ]*-[\t ]*(\d*)$/.exec(range) ?? [];
    const { size } = blob;
    let start = Number(first);
    let end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
    if (first === '') [start, end] = [Math.max(size - Number(last), 0), size - 1];
    if (first === undefined || first + last === '' || start >= size ||
      (first !== '' && last !== '' && start > Number(last))) {
      throw new TypeError(`fetch: ${url} has ${size} bytes, of which the header Range (${range}) must name some, ` +
        'such as bytes=0-99');
    }
    const headers = ['content-length', `${end + 1 - start}`, 'content-range', `bytes ${start}-${end}/${size}`,
      'content-type', blob.type];
    return [{ status: 206, statusText: 'Partial Content', url, redirected: false, headers },
      bodies.extract(blob.slice(start, end + 1, blob.type))[0]];
  };

  // local answers for the URLs that need no network.
  const local = (data) => {
    const href = data.url;
    if (href.startsWith('blob:') && data.method === 'GET') {
      const blob = require('internal/objecturl').resolve(href);
      if (blob === undefined) throw new TypeError(`fetch: there is no blob ${href}`);
      const range = data.headers.get('range');
      if (range !== null) return partOf(blob, range, href);
      const headers = ['content-length', `${blob.size}`, 'content-type', blob.type];
      return [{ status: 200, statusText: 'OK', url: href, redirected: false, headers }, bodies.extract(blob)[0]];
    }
    if (!href.startsWith('data:')) return undefined;
    const [, type, base64, text] = /^data:([^,]*?)(;[ \t]*base64)?[ \t]*,([^#]*)/is.exec(href) ?? [];
    if (type === undefined) throw new TypeError('fetch: the data: URL has no comma');
    let bytes = new Uint8Array(text.length);
    let size = 0;
    const ascii = new TextEncoder().encode(text);
    for (let i = 0; i < ascii.length; i++) {
      const hex = ascii[i] === 37 ? /^[0-9a-f]{2}/i.exec(text.slice(i + 1, i + 3)) : null;
      bytes[size++] = hex === null ? ascii[i] : parseInt(hex[0], 16);
      if (hex !== null) i += 2;
    }
    bytes = bytes.subarray(0, size);
    if (base64 !== undefined) {
      try {
        const decoded = atob(String.fromCharCode(...bytes));
        bytes = Uint8Array.from(decoded, (c) => c.charCodeAt(0));
      } catch (error) {
        throw new TypeError('fetch: the data: URL is not in base64', { cause: error });
      }
    }
    const given = type.trim().replace(/^;/, 'text/plain;');
    const headers = ['content-type', bodies.typeText(given) ?? 'text/plain;charset=US-ASCII'];
    const body = data.method === 'HEAD' ? null : bodies.extract(bytes)[0];
    return [{ status: 200, statusText: 'OK', url: href, redirected: false, headers }, body];
  };

  const send = async (data, id, started) => {
    if (data.cache === 'only-if-cached') throw new TypeError('fetch has no cache here');
    const checked = async (got, made) => {
      if (data.integrity === '') return respond(data, got, made);
      return respond(data, got, bodies.extract(await verify(data.integrity, made, got.url))[0]);
    };
    const found = local(data);
    if (found !== undefined) return checked(...found);
    const body = data.body === null ? null : await bodies.read(data.body);
    if (data.signal.aborted) return undefined;
    const { method, url, redirect } = data;
    const headers = [];
    for (const [name, value] of data.headers) headers.push(name, value);
    const got = await kernel.fetchBegin(id, method, url, redirect, headers, body);
    if (data.signal.aborted) {
      end(id);
      return undefined;
    }
    if (hasNoBody(method, got.status)) {
      end(id);
      return checked(got, null);
    }
    const source = new Source(id, got);
    started(source);
    return checked(got, { bytes: undefined, pending: undefined, stream: undefined, source, used: false });
  };

  exports.fetch = async function fetch(input, init = undefined) {
    if (arguments.length < 1) throw new TypeError('fetch: 1 argument required, but 0 found.');
    const data = requests.of(new Request(input, init));
    const { signal } = data;
    const cancel = (reason) => {
      const stream = data.body?.stream;
      if (stream !== undefined && !stream.locked) stream.cancel(reason).catch(() => {});
    };
    if (signal.aborted) cancel(signal.reason);
    signal.throwIfAborted();
    const id = ids++;
    return new Promise((resolve, reject) => {
      const state = { reject, source: undefined }; // which does not hold the response
      kernel.onAbort(signal, () => {
        const { reason } = signal;
        state.reject?.(reason);
        const source = state.source?.deref();
        if (source !== undefined) {
          source.fail(reason);
        } else if (state.reject !== undefined) {
          end(id);
          cancel(reason);
        }
      });
      const started = (source) => { state.source = new WeakRef(source); };
      send(data, id, started).then((response) => {
        state.reject = undefined;
        resolve(response);
      }, reject);
    });
  };
})
