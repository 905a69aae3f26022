const http = require('http');
const https = require('node:https');
const { pipeline } = require('stream/promises');
const { Readable } = require('stream');
const { once } = require('events');
const out = [];
const { port, hostname } = new URL(base);
const read = async (res) => { let text = ''; res.setEncoding('utf8'); for await (const chunk of res) text += chunk;
  return text; };
const ask = (method, path, options, body) => new Promise((resolve, reject) => {
  const req = http.request({ hostname, port, path, method, ...options },
    (res) => read(res).then((text) => resolve([res.statusCode, res.statusMessage, text]), reject));
  req.on('error', reject);
  req.end(body);
});
out.push(await ask('GET', '/echo?a=b', { headers: { 'X-Own': 'me' }, auth: 'u:p' }));
out.push(await ask('POST', '/echo', { headers: { 'Content-Type': 'application/json', 'Content-Length': 7 } },
  '{"a":1}'));
out.push(await ask('GET', '/status/404'), await ask('GET', '/redirect'), await ask('HEAD', '/json'),
  await ask('DELETE', '/status/204'));
const events = [];
const req = http.get(`${base}/json`, { headers: { accept: 'application/json' } });
for (const name of ['socket', 'finish', 'response', 'close', 'abort', 'timeout']) req.on(name, () => events.push(name));
const [res] = await once(req, 'response');
res.on('end', () => events.push('res end')).on('close', () => events.push('res close'));
out.push([res.headers['content-type'], res.headers['x-twice'], res.headersDistinct['x-twice'], res.httpVersion,
  await read(res), res.complete]);
await new Promise(setImmediate);
out.push(events, req.destroyed, res.destroyed, req.writableEnded, req.headersSent, req.method, req.path,
  req.getHeader('Accept'), req.getHeaderNames());
const put = http.request(`${base}/echo`, { method: 'PUT' });
put.setHeader('content-type', 'text/plain');
put.write('a');
put.write(Buffer.from('b'));
put.end('c');
out.push(await read((await once(put, 'response'))[0]));
const piped = http.request(`${base}/echo`, { method: 'POST' });
const answer = once(piped, 'response');
await pipeline(Readable.from(['x', 'y']), piped);
out.push(await read((await answer)[0]));
const failed = (req) => new Promise((resolve) => {
  const seen = [];
  req.on('abort', () => seen.push('abort')).on('timeout', () => { seen.push('timeout'); req.destroy(); })
    .on('error', (e) => seen.push(e.name, e.code, e.message)).on('close',
      () => resolve([seen, req.destroyed, req.aborted]));
});
out.push(await failed(http.get(`${base}/never`, { timeout: 50 })));
const slow = http.get(`${base}/never`);
slow.setTimeout(50);
out.push(await failed(slow));
const aborted = http.get(`${base}/never`);
setTimeout(() => aborted.abort(), 50);
out.push(await failed(aborted), await failed(http.get(`${base}/never`, { signal: AbortSignal.abort() })));
const destroyed = http.get(`${base}/never`);
setTimeout(() => destroyed.destroy(new RangeError('mine')), 50);
out.push(await failed(destroyed));
const partial = http.get(`${base}/hang`);
const [half] = await once(partial, 'response');
await once(half, 'data');
const halfSeen = [];
half.on('aborted', () => halfSeen.push('aborted')).on('error', (e) => halfSeen.push(e.code, e.message)).on('end',
  () => halfSeen.push('end'));
partial.destroy();
await new Promise((resolve) => { half.on('close', resolve); });
out.push(halfSeen);
const attempts = {
  protocol: () => http.get('https://127.0.0.1/'),
  method: () => http.request(base, { method: 'A B' }),
  path: () => http.get({ path: '/a b' }),
  header: () => http.request(base, { headers: { 'a b': 'c' } }),
  value: () => http.request(base, { headers: { a: 'b\nc' } }),
  undefined: () => http.request(base, { headers: { a: undefined } }),
  url: () => http.get('nothing'),
};
for (const [name, attempt] of Object.entries(attempts)) {
  try { attempt(); } catch (e) { out.push([name, e.name, e.code, name === 'url' || e.message]); }
}
const one = http.get(base + '/json');
one.end();
try { one.setHeader('a', 'b'); out.push('set'); } catch (e) { out.push(e.code); }
(await once(one, 'response'))[0].resume();
out.push(http.STATUS_CODES[404], http.METHODS.includes('PATCH'), typeof http.globalAgent,
  new http.Agent({ keepAlive: true }).keepAlive, new https.Agent().defaultPort);
out.push((await Promise.all(Array.from({ length: 20 }, (_, i) => ask('GET', `/echo?i=${i}`)))).map(([, , text]) =>
  JSON.parse(text).url));
return JSON.stringify(out);
