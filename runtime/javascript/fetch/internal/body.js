// The bodies of requests and responses (https://fetch.spec.whatwg.org/#bodies): a body is {bytes, pending, stream,
// source, used}. A stream is made from the bytes, or from the source of what is fetched, when somebody asks for it. A
// source has the functions read, which gives the next bytes or undefined at the end, cancel, and opened, which gets the
// stream's controller.
(function (kernel, require, module, exports) {
  'use strict';
  const { bytesOf } = kernel;
  const { Blob, File, FormData, typed } = require('internal/blob');
  const encoder = new TextEncoder();

  const teeCloned = (stream) => require('internal/webstreams/readable').teeCloned(stream);
  const stateOf = (stream) => stream[require('internal/webstreams/common').state];
  const copyOf = (value) => {
    const { buffer, offset, length } = bytesOf(value);
    return new Uint8Array(buffer, offset, length).slice();
  };
  const join = (chunks) => {
    const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    let at = 0;
    for (const chunk of chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  };

  // encodeForm writes a form as multipart/form-data. Bytes of blobs are read at once.
  const blobBytes = Blob.prototype.bytes;
  const encodeForm = async (form, boundary) => {
    const chunks = [];
    const lines = (text) => text.replace(/\r?\n|\r/g, '\r\n');
    const escape = (name) => name.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
    for (const [name, value] of form) {
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escape(lines(name))}"`;
      if (typeof value === 'string') {
        chunks.push(encoder.encode(`${head}\r\n\r\n${lines(value)}\r\n`));
      } else {
        chunks.push(encoder.encode(`${head}; filename="${escape(value.name)}"\r\n` +
          `Content-Type: ${value.type || 'application/octet-stream'}\r\n\r\n`),
          await blobBytes.call(value), encoder.encode('\r\n'));
      }
    }
    chunks.push(encoder.encode(`--${boundary}--\r\n`));
    return join(chunks);
  };

  // extract makes a body of what code gives, and says its type.
  exports.extract = (value) => {
    const body = { bytes: undefined, pending: undefined, stream: undefined, used: false };
    let type = null;
    if (value instanceof ReadableStream) {
      if (value.locked || stateOf(value).disturbed)
        throw new TypeError('Response body object should not be disturbed or locked');
      body.stream = value;
    } else if (value instanceof URLSearchParams) {
      body.bytes = encoder.encode(value.toString());
      type = 'application/x-www-form-urlencoded;charset=UTF-8';
    } else if (value instanceof Blob) {
      body.pending = blobBytes.call(value);
      type = value.type || null;
    } else if (value instanceof FormData) {
      const boundary = `----formdata-toolrun-0${Math.floor(Math.random() * 1e11)}`.padEnd(33, '0');
      body.pending = encodeForm([...value], boundary);
      type = `multipart/form-data; boundary=${boundary}`;
    } else if (bytesOf(value) !== undefined) {
      body.bytes = copyOf(value);
    } else if (typeof value === 'object' && value !== null && typeof value[Symbol.asyncIterator] === 'function') {
      body.stream = ReadableStream.from(value);
    } else {
      if (typeof value === 'symbol')
        throw new TypeError('the body is a symbol, which cannot be converted to a DOMString.');
      body.bytes = encoder.encode(`${value}`.toWellFormed());
      type = 'text/plain;charset=UTF-8';
    }
    return [body, type];
  };

  // streamOf returns the stream of a body. That of one that has been read is at its end, and disturbed.
  const streamOf = (body) => {
    if (body.stream !== undefined) return body.stream;
    const { used, source } = body;
    if (source !== undefined && !used) {
      return body.stream = new ReadableStream({
        type: 'bytes',
        start(controller) { source.opened(controller); },
        async pull(controller) {
          const chunk = await source.read();
          if (chunk !== undefined) {
            controller.enqueue(chunk);
          } else {
            controller.close();
            controller.byobRequest?.respond(0);
          }
        },
        cancel() { source.cancel(); },
      });
    }
    body.stream = new ReadableStream({
      type: 'bytes',
      async pull(controller) {
        const bytes = used ? new Uint8Array() : body.bytes ?? await body.pending;
        if (bytes.length > 0) controller.enqueue(bytes.slice());
        controller.close();
        controller.byobRequest?.respond(0);
      },
    });
    if (used) {
      body.stream.cancel();
      body.stream.getReader();
    }
    return body.stream;
  };
  exports.read = (body) => read(body);
  const isUsed = (body) => body !== null &&
    (body.used || (body.stream !== undefined && stateOf(body.stream).disturbed));
  exports.isUsed = isUsed;
  const unusable = (body) => isUsed(body) || body.stream?.locked === true;

  // read takes all of a body's bytes, once.
  const read = async (body) => {
    if (body === null) return new Uint8Array();
    if (unusable(body)) throw new TypeError('Body is unusable: Body has already been read');
    const chunks = [];
    if (body.stream === undefined) {
      body.used = true;
      if (body.source === undefined) return body.bytes ?? body.pending;
      for (;;) {
        const chunk = await body.source.read();
        if (chunk === undefined) return chunks.length === 1 ? chunks[0] : join(chunks);
        chunks.push(chunk);
      }
    }
    const reader = body.stream.getReader(); // which is never given back
    for (;;) {
      const { value: chunk, done } = await reader.read();
      if (done) return join(chunks);
      if (!(chunk instanceof Uint8Array)) throw new TypeError('Received non-Uint8Array chunk');
      chunks.push(chunk);
    }
  };

  exports.clone = (body, name) => {
    if (body === null) return null;
    if (unusable(body)) throw new TypeError(`${name}.clone: Body has already been consumed.`);
    if (body.stream === undefined && body.source === undefined) return { ...body };
    const [mine, other] = teeCloned(streamOf(body)); // what one does to its chunks, the other does not see
    body.stream = mine;
    return { bytes: undefined, pending: undefined, stream: other, used: false };
  };

  // transfer makes a body of what is left of another, whose stream stays the same, and is disturbed.
  exports.transfer = (body) => {
    if (unusable(body)) throw new TypeError(
      'Cannot construct a Request with a Request object that has already been used.');
    const taken = { ...body };
    if (body.stream !== undefined) Object.assign(taken, {
      bytes: undefined, pending: undefined, source: undefined, stream: body.stream.pipeThrough(new TransformStream()),
    });
    body.used = true;
    return taken;
  };

  // typeOf reads a type (https://mimesniff.spec.whatwg.org/#parsing-a-mime-type): {essence, parameters}, or undefined.
  const typeOf = (text) => {
    const [head, essence] = /^[\t\n\r ]*([!#$%&'*+\-.^`|~\w]+\/[!#$%&'*+\-.^`|~\w]+)[\t\n\r ]*(?=;|$)/.exec(text ??
      '') ?? [];
    if (essence === undefined) return undefined;
    const parameters = new Map();
    for (const [, name, quoted, plain] of text.slice(head.length).matchAll(
      /;[\t\n\r ]*([^;=]*)(?:=(?:"((?:[^"\\]|\\[^]|\\$)*)(?:"|$)[^;]*|([^;]*)))?/g)) {
      const key = name.toLowerCase();
      const value = quoted !== undefined ? quoted.replace(/\\([^])/g, '$1') : plain?.replace(/[\t\n\r ]+$/, '');
      if (value === undefined || (value === '' && quoted === undefined) || parameters.has(key)) continue;
      if (/^[!#$%&'*+\-.^`|~\w]+$/.test(key) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) parameters.set(key, value);
    }
    return { essence: essence.toLowerCase(), parameters };
  };
  const typeText = ({ essence, parameters }) => {
    const value = (text) => (/^[!#$%&'*+\-.^`|~\w]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`);
    return `${essence}${[...parameters].map(([k, v]) => `;${k}=${value(v)}`).join('')}`;
  };
  exports.typeText = (text) => {
    const found = typeOf(text);
    return found === undefined ? undefined : typeText(found);
  };

  // find returns where bytes are, which are the characters of a text, or -1.
  const find = (bytes, text, from) => {
    for (let at = bytes.indexOf(text.charCodeAt(0), from); at >= 0; at = bytes.indexOf(text.charCodeAt(0), at + 1)) {
      let i = 1;
      while (i < text.length && bytes[at + i] === text.charCodeAt(i)) i++;
      if (i === text.length) return at;
    }
    return -1;
  };
  const decodeForm = (bytes, boundary) => {
    const failed = () => new TypeError('Failed to parse body as FormData.');
    const form = new FormData();
    const mark = `--${boundary}`;
    const text = (part) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(part);
    let at = find(bytes, mark, 0);
    if (at < 0) throw failed();
    for (;;) {
      at += mark.length;
      if (bytes[at] === 45 && bytes[at + 1] === 45) return form;
      if (bytes[at] !== 13 || bytes[at + 1] !== 10) throw failed();
      const end = find(bytes, '\r\n\r\n', at);
      const next = end < 0 ? -1 : find(bytes, `\r\n${mark}`, end + 2);
      if (next < 0) throw failed();
      const head = text(bytes.subarray(at + 2, end));
      const unescape = (name) => name?.replace(/%0A/gi, '\n').replace(/%0D/gi, '\r').replace(/%22/g, '"');
      const name = unescape(/^content-disposition:\s*form-data;.*?\bname="([^"]*)"/im.exec(head)?.[1]);
      if (name === undefined) throw failed();
      const filename = unescape(/^content-disposition:.*?\bfilename="([^"]*)"/im.exec(head)?.[1]);
      const content = bytes.subarray(end + 4, Math.max(next, end + 4));
      if (filename === undefined) form.append(name, text(content));
      else form.append(name,
        new File([content], filename, { type: /^content-type:\s*(.*?)\s*$/im.exec(head)?.[1] ?? 'text/plain' }));
      at = next + 2;
    }
  };

  // mixin gives a class the methods of bodies. slot has {body, headers}.
  exports.mixin = (type, slot) => {
    const reads = (name, f) => {
      const method = {
        async [name]() {
          const { body, headers } = slot.of(this);
          const failed = body?.source?.failed;
          if (failed !== undefined && !body.used) throw failed.reason;
          return f(await read(body), headers);
        },
      }[name];
      Object.defineProperty(type.prototype, name, {
        value: method, writable: true, enumerable: true, configurable: true,
      });
    };
    const decoder = new TextDecoder();
    const decode = (bytes) => decoder.decode(bytes);
    reads('blob', (bytes, headers) => {
      const found = typeOf(headers.get('content-type'));
      const type = found === undefined ? '' : typeText(found);
      return typed(bytes, type.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())); // all of it, as in Node
    });
    reads('arrayBuffer', (bytes) => bytes.slice().buffer);
    reads('text', decode);
    reads('json', (bytes) => JSON.parse(decode(bytes)));
    reads('bytes', (bytes) => bytes.slice());
    reads('formData', (bytes, headers) => {
      const found = typeOf(headers.get('content-type'));
      if (found?.essence === 'multipart/form-data') return decodeForm(bytes, found.parameters.get('boundary') ?? '');
      if (found?.essence === 'application/x-www-form-urlencoded') {
        const form = new FormData();
        for (const [name, value] of new URLSearchParams(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)))
          form.append(name, value);
        return form;
      }
      throw new TypeError('Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".');
    });
    const getter = (name, get) => {
      Object.defineProperty(type.prototype, name, {
        get: Object.getOwnPropertyDescriptor({ get [name]() { return get(slot.of(this).body); } }, name).get,
        enumerable: true, configurable: true,
      });
    };
    getter('body', (body) => (body === null ? null : streamOf(body)));
    getter('bodyUsed', isUsed);
  };
})
