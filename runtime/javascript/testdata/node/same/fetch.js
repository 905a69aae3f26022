// Headers, Request and Response without a network, and URLs of blobs.
'use strict';
const { inspect } = require('util');
const { resolveObjectURL } = require('buffer');

const answers = {};
const answer = async (name, f) => {
  try {
    answers[name] = inspect(await f(), { depth: 4, breakLength: 120 });
  } catch (error) {
    answers[name] = `${error.name} ${error.code} ${error.message}`;
  }
};
const decode = (bytes) => new TextDecoder().decode(bytes);
const url = 'http://example.com/a?b#c';
const post = (body, more) => new Request(url, { method: 'POST', body, ...more });
const stream = (...chunks) => new ReadableStream({
  start(c) {
    for (const chunk of chunks) c.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
    c.close();
  },
});

module.exports = (async () => {
  const inits = {
    object: { b: '1', A: ' x\t', 'x-n': 5 }, pairs: [['b', '1'], ['a', '2'], ['B', '3']],
    map: new Map([['b', 1]]), headers: new Headers({ q: 'r' }),
    cookies: [['set-cookie', 'a=1'], ['b', '2'], ['set-cookie', 'c=3'], ['cookie', 'x'], ['cookie', 'y']],
    empty: {}, nothing: undefined,
    inherited: Object.create({ a: '1' }), latin: { a: '\xe9' }, null: null, number: 5,
    string: 'x', 'pair of one': [['a']], 'pair of three': [['a', 1, 2]],
    'no pair': [5], 'bad name': { 'a b': 1 }, 'bad value': { a: 'x\ny' }, 'wide value': { a: '\u20ac' },
    'empty name': { '': 1 },
  };
  for (const [name, init] of Object.entries(inits)) {
    await answer(`Headers of ${name}`, () => {
      const h = new Headers(init);
      return [[...h], [...h.keys()], [...h.values()], h.getSetCookie(), h];
    });
  }
  await answer('Headers: changes', () => {
    const h = new Headers({ a: '1' });
    h.append('A', '2');
    h.append('c', '');
    h.set('b', '3');
    const got = [h.get('a'), h.get('B'), h.get('c'), h.get('none'), h.has('C'), h.has('d')];
    h.set('a', '9');
    h.delete('B');
    h.delete('none');
    const each = [];
    h.forEach(function (value, name, all) { each.push([name, value, all === h, this.t]); }, { t: 1 });
    return [got, each];
  });
  await answer('Headers: changes while iterating', () => {
    const h = new Headers({ a: '1', c: '3' });
    const seen = [];
    for (const [name] of h) { seen.push(name); if (seen.length === 1) h.append('b', '2'); if (seen.length > 5) break; }
    return [seen, Object.prototype.toString.call(h), Object.prototype.toString.call(h.entries()),
      h.entries === h[Symbol.iterator]];
  });
  for (const [name, f] of Object.entries({
    'append of one': (h) => h.append('a'), 'get of nothing': (h) => h.get(), 'get of a bad name': (h) => h.get('a b'),
    'set of a bad name': (h) => h.set('\xe9', '1'),
    'set of a bad value': (h) => h.set('a', '\0'), 'delete of a bad name': (h) => h.delete(''),
    'has of nothing': (h) => h.has(), forEach: (h) => h.forEach(5),
    'this of another': () => Headers.prototype.get.call({}, 'a'),
  })) await answer(`Headers: ${name}`, () => f(new Headers()));

  await answer('Response', () => new Response('x', { headers: { a: 'b' }, status: 201, statusText: 'Made' }));
  await answer('Response of nothing', async () => [new Response().body, new Response(null).status,
    await new Response().text(), new Response(undefined).headers.get('content-type')]);
  const bodies = {
    string: () => 'h\xe9llo\ud800', number: () => 5, object: () => ({}),
    'URLSearchParams': () => new URLSearchParams({ a: '1 2' }), Blob: () => new Blob(['x'], { type: 'a/b' }),
    'Blob without a type': () => new Blob(['x']), bytes: () => new Uint8Array([104, 105]),
    view: () => new DataView(new Uint8Array([1, 104, 105]).buffer, 1),
    buffer: () => new Uint8Array([104, 105]).buffer, stream: () => stream('a', 'b', 'c'),
    iterable: () => (async function* () { yield new Uint8Array([104]); yield new Uint8Array([105]); })(),
  };
  for (const [name, make] of Object.entries(bodies)) {
    await answer(`body: ${name}`, async () => {
      const r = () => new Response(make());
      const blob = await r().blob();
      return [r().headers.get('content-type'), await r().text(), decode(await r().arrayBuffer()),
        await r().bytes(), [blob.size, blob.type], r().bodyUsed,
        await r().clone().text(), await post(make(), { duplex: 'half' }).text(),
          post(make(), { duplex: 'half' }).headers.get('content-type')];
    });
  }
  await answer('body: a mark', async () => [await new Response('\ufeffx').text(),
    (await new Response('\ufeffx').bytes()).length, await new Response('\ufeff{"a":1}').json()]);
  await answer('json', async () => [await new Response('{"a":[1]}').json(), await Response.json({ a: 1 }).json(),
    Response.json(1, { status: 202 }).status,
    Response.json({}).headers.get('content-type'),
      Response.json({}, { headers: { 'content-type': 'x/y' } }).headers.get('content-type')]);
  await answer('json that is none', async () => {
    try { await new Response('{').json(); } catch (e) { return e.name; }
  });
  await answer('json of nothing', () => Response.json(undefined));
  await answer('json of a cycle', () => { const a = {}; a.a = a; try {
    return Response.json(a);
  } catch (e) { return e.name; } });
  await answer('used', async () => {
    const r = new Response('x');
    const before = r.bodyUsed;
    await r.text();
    return [before, r.bodyUsed, await r.json().catch((e) => [e.name, e.message]), r.body.locked];
  });
  await answer('used, then cloned', async () => { const r = new Response('x'); await r.text(); return r.clone(); });
  await answer('used by a reader', async () => {
    const r = new Response('xyz');
    const { value } = await r.body.getReader().read();
    return [decode(value), r.bodyUsed, await r.text().catch((e) => [e.name, e.message])];
  });
  await answer('used by a loop', async () => {
    const r = new Response(stream('a', 'b'));
    let s = '';
    for await (const c of r.body) s += decode(c);
    return [s, r.bodyUsed];
  });
  await answer('a locked stream', () => { const s = stream('a'); s.getReader(); return new Response(s); });
  await answer('a stream of strings',
    () => new Response(new ReadableStream({ start(c) { c.enqueue('x'); c.close(); } })).text());
  await answer('a stream that fails',
    () => new Response(new ReadableStream({ start(c) { c.error(new RangeError('bad')); } })).text());
  await answer('clones', async () => {
    const r = new Response(stream('a', 'b'), { status: 203, headers: { x: 'y' } });
    const c = r.clone();
    return [await r.text(), await c.text(), c.status, c.headers.get('x'), c.headers === r.headers];
  });
  await answer('pipes', async () => {
    const text = await new Response(
      new Response('abc').body.pipeThrough(new TextDecoderStream()).pipeThrough(new TextEncoderStream())).text();
    const zipped = new Response('hello '.repeat(9)).body.pipeThrough(new CompressionStream('gzip'));
    return [text, await new Response(zipped.pipeThrough(new DecompressionStream('gzip'))).text()];
  });
  await answer('error', () => { const r = Response.error(); return [r.type, r.status, r.ok, r.body, [...r.headers]]; });
  await answer('error: headers', () => Response.error().headers.set('a', 'b'));
  await answer('redirect', () => {
    const r = Response.redirect('http://a/b c', 301);
    return [r.status, r.headers.get('location'), r.type, r.redirected, Response.redirect('http://a').status];
  });
  await answer('redirect: headers', () => Response.redirect('http://a/').headers.append('a', 'b'));
  for (const [name, f] of Object.entries({
    'status 100': () => new Response('', { status: 100 }), 'status 600': () => new Response('', { status: 600 }),
    'status 204': () => new Response('x', { status: 204 }),
    'status 204 without a body': () => new Response(null, { status: 204 }).ok, 'status text': () =>
      new Response('', { statusText: 'a\nb' }), 'redirect to 200': () => Response.redirect('http://a/', 200),
    'text of another': () => Response.prototype.text.call({}), 'status of another': () => Response.prototype.status,
    'status as text': () => new Response('', { status: '404' }).status,
  })) await answer(`Response: ${name}`, f);

  await answer('Request',
    () => inspect(new Request(url, { method: 'delete', headers: { a: 'b' } })).replace(/signal: .*/, ''));
  await answer('Request: options', () => inspect(new Request(url, { method: 'put',
    mode: 'same-origin', credentials: 'include', cache: 'no-store', redirect: 'manual', integrity: 'x', keepalive: 1,
    referrer: 'http://r/', referrerPolicy: 'origin', headers: [['accept', 'x']] })).replace(/signal: .*/, ''));
  for (const method of ['get', 'Post', 'patch', 'PATCH', 'x-y', 'TRACE', 'connect', 'a b', ''])
    await answer(`Request: method ${method}`, () => new Request(url, { method }).method);
  for (const [name, f] of Object.entries({
    'no URL': () => new Request('/x').url, 'a URL': () => new Request(new URL('/x', url)).url,
    'nothing': () => new Request(), 'credentials in the URL': () => new Request('http://u:p@a/'),
    'GET with a body': () => new Request(url, { body: 'x' }), 'a stream': () => post(stream('x')),
    'an unknown mode': () => new Request(url, { mode: 'x' }),
    'PUT without CORS': () => new Request(url, { mode: 'no-cors', method: 'PUT' }),
    'to navigate': () => new Request(url, { mode: 'navigate' }),
    'an unknown redirect': () => new Request(url, { redirect: 'x' }), 'a signal': () => new Request(url, { signal: 5 }),
    'no signal': () => new Request(url, { signal: null }).signal.aborted, window: () => new Request(url, { window: 5 }),
    referrer: () => new Request(url, { referrer: '' }).referrer,
    'only-if-cached': () => new Request(url, { cache: 'only-if-cached' }),
    'options that are none': () => new Request(url, 5).method,
  })) {
    await answer(`Request: ${name}`, async () => {
      try { return await f(); } catch (e) { return [e.name, e.code, e.message, e.cause?.code]; }
    });
  }
  await answer('Request: abort', async () => {
    const c = new AbortController();
    const r = new Request(url, { signal: c.signal });
    const copy = r.clone();
    c.abort('why');
    return [r.signal.aborted, r.signal.reason, copy.signal.aborted, r.signal === c.signal];
  });
  await answer('Request of a request', async () => {
    const first = post('body', { headers: { a: '1' } });
    const second = new Request(first, { headers: { b: '2' } });
    const third = new Request(new Request(url, { method: 'PUT' }), { method: 'POST', body: 'new' });
    return [first.bodyUsed, second.method, [...second.headers], await second.text(),
      second.url, third.method, await third.text()];
  });
  await answer('Request: clones', async () => {
    const r = post('x', { headers: { a: '1' } });
    const c = r.clone();
    return [await r.text(), await c.text(), c.method, c.headers.get('a'), c.url];
  });

  const form = new FormData();
  form.append('text', 'a\nb');
  form.append('na"me\r\n', 'v\xe9');
  form.append('file', new File(['one', new Uint8Array([0, 13, 10, 45, 45])], 'f "x".txt', { type: 'text/x' }));
  form.append('blob', new Blob(['two']));
  await answer('formData, multipart', async () => {
    const r = post(form);
    const type = r.headers.get('content-type');
    const text = await r.clone().text();
    const back = await r.formData();
    const parts = [];
    for (const [name, value] of back)
      parts.push([name, typeof value === 'string' ? value : [value.name, value.type, value.size, await value.text()]]);
    return [/^multipart\/form-data; boundary=----formdata-\w+-\d+$/.test(type),
      text.replaceAll(type.split('boundary=')[1], 'BOUNDARY'), parts];
  });
  await answer('formData, urlencoded', async () => [
    ...await new Response(new URLSearchParams('a=1&b=2+3&a=%C3%A9')).formData(),
  ]);
  await answer('formData by hand', async () => {
    const type = 'multipart/form-data; boundary="b x"';
    const body = '--b x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b x\r\ncontent-disposition: form-data; name="f"; filename="n.txt"\r\nContent-Type: text/plain\r\n\r\nx\r\ny\r\n--b x--\r\n';
    const back = await new Response(body, { headers: { 'content-type': type } }).formData();
    return [back.get('a'), back.get('f').name, back.get('f').type, await back.get('f').text()];
  });
  await answer('formData of a text', () => new Response('x').formData());
  await answer('formData that is broken', async () => { try {
    return await new Response('x', { headers: { 'content-type': 'multipart/form-data; boundary=b' } }).formData();
  } catch (e) { return e.name; } });

  for (const type of ['A/B', ' a/b ; C = d', 'a/b;c="d e"', 'a/b;c="d\\"e";c=f',
    'a/b;c=;d=e', 'a/b;c', 'a', '/b', 'a/b c', 'a/b;charset="x', 'a/b;c="d"x;e=f']) {
    await answer(`blob of the type ${type}`,
      async () => (await new Response('x', { headers: { 'content-type': type } }).blob()).type);
  }
  await answer('Headers: a record with a symbol', () => {
    const log = [];
    const record = new Proxy({ a: '1', [Symbol('s')]: '2', b: '3' }, { get(target, key) {
      log.push(String(key));
      return target[key];
    } });
    try { new Headers(record); } catch (error) { return [error.name, log.includes('Symbol(s)')]; }
    return log;
  });
  await answer('a request of a request with a stream', async () => {
    const first = post(stream('ab'), { duplex: 'half' });
    const { body } = first;
    const second = new Request(first);
    return [first.body === body, first.bodyUsed, second.bodyUsed, await second.text()];
  });
  await answer('duplex: full', () => {
    try { return post('x', { duplex: 'full' }); } catch (error) { return error.name; }
  });
  await answer('a form that changes while it is iterated', () => {
    const form = new FormData();
    for (const name of ['a', 'b', 'c']) form.append(name, name);
    const seen = [];
    for (const [name] of form) { seen.push(name); if (name === 'a') form.delete('b'); }
    return seen;
  });

  await answer('URLs of blobs', async () => {
    const id = URL.createObjectURL(new Blob(['x'], { type: 'a/b' }));
    const blob = resolveObjectURL(id);
    const found = [
      /^blob:nodedata:[-\da-f]{36}$/.test(id), await blob.text(), blob.type, id !== URL.createObjectURL(new Blob([])),
    ];
    return [...found, URL.revokeObjectURL(id), resolveObjectURL(id), resolveObjectURL('blob:nodedata:none'),
      resolveObjectURL('x')];
  });
  for (const [name, f] of Object.entries({
    'of 5': () => URL.createObjectURL(5), 'of nothing': () => URL.createObjectURL(),
      'revoked: nothing': () => URL.revokeObjectURL(),
  })) await answer(`URL of a blob ${name}`, f);
  return answers;
})();
