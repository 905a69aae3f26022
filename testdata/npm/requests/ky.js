const { default: ky } = require('ky');
const out = [];
out.push(await ky.get(`${base}/echo`, { searchParams: { q: 'a b' }, headers: { 'x-own': 'me' } }).json());
out.push(await ky.post(`${base}/echo`, { json: { a: 1 } }).json());
out.push(await ky.put(`${base}/echo`, { body: new URLSearchParams({ a: 'b' }) }).json());
const form = new FormData();
form.append('file', new Blob(['content'], { type: 'text/plain' }), 'n.txt');
out.push(await ky.post(`${base}/echo`, { body: form }).json());
out.push(await ky(`${base}/status/404`).catch(async (e) => [e.name, e.response.status,
  await e.response.clone().text().catch((x) => x.name)]));
out.push(await ky(`${base}/flaky`, { retry: { limit: 3, delay: () => 1 } }).text());
out.push(await ky(`${base}/never`, { timeout: 50, retry: 0 }).catch((e) => [e.name, e.message]));
const controller = new AbortController();
setTimeout(() => controller.abort(), 50);
out.push(await ky(`${base}/never`, { signal: controller.signal, timeout: false }).catch((e) => e.name));
const seen = [];
const api = ky.create({ prefixUrl: base, hooks: {
  beforeRequest: [(request) => { request.headers.set('x-own', 'hook'); }],
  afterResponse: [(request, options, response) => { seen.push(response.status); }],
} });
out.push(await api('echo').json(), await api('redirect').json(), await api('gzip').json(), seen);
let text = '';
for await (const chunk of (await api('lines')).body.pipeThrough(new TextDecoderStream())) text += chunk;
out.push(text, (await Promise.all([1, 2, 3].map((i) => api(`echo?i=${i}`).json()))).map((r) => r.url));
return JSON.stringify(out);
