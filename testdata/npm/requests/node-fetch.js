const { default: fetch, FormData, Blob, Headers, Request, AbortError } = require('node-fetch');
const out = [];
out.push(await (await fetch(`${base}/echo?q=1`, { headers: { 'x-own': 'me' } })).json());
out.push(await (await fetch(new Request(`${base}/echo`, { method: 'POST', body: JSON.stringify({ a: 1 }),
  headers: new Headers({ 'content-type': 'application/json' }) }))).json());
const form = new FormData();
form.set('file', new Blob(['content'], { type: 'text/plain' }), 'n.txt');
out.push(await (await fetch(`${base}/echo`, { method: 'POST', body: form })).json());
const redirected = await fetch(`${base}/redirect`);
out.push([redirected.redirected, redirected.url === `${base}/echo?from=redirect`, redirected.status]);
out.push((await fetch(`${base}/redirect`, { redirect: 'manual' })).status);
out.push(await fetch(`${base}/loop`, { follow: 3 }).catch((e) => [e.name, e.type, e.code]));
out.push(await (await fetch(`${base}/gzip`)).json(), await (await fetch(`${base}/status/404`)).text());
const controller = new AbortController();
setTimeout(() => controller.abort(), 50);
out.push(await fetch(`${base}/never`, { signal: controller.signal }).catch((e) => [e instanceof AbortError, e.name,
  e.type]));
let text = '';
for await (const chunk of (await fetch(`${base}/lines`)).body) text += chunk;
const r = await fetch(`${base}/json`);
out.push(text, r.headers.get('x-twice'), r.headers.raw()['x-twice'], await r.json());
out.push((await (await fetch(`${base}/large`)).arrayBuffer()).byteLength);
return JSON.stringify(out);
