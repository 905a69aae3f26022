const axios = require('axios');
const out = [];
const show = ({ status, statusText, data }) => [status, statusText, data];
const failure = (e) => [e.name, e.code, e.message, axios.isAxiosError(e), axios.isCancel(e), e.response?.status,
  e.response?.data];
out.push(show(await axios.get(`${base}/echo`, { params: { q: 'a b', list: [1, 2], none: null },
  headers: { 'X-Own': 'me' } })));
out.push(show(await axios.post(`${base}/echo`, { a: 1, b: ['ü'] })));
out.push(show(await axios.post(`${base}/echo`, new URLSearchParams({ a: 'b c' }))));
out.push(show(await axios.postForm(`${base}/echo`, { a: 'b', n: 1 })));
const form = new FormData();
form.append('file', new Blob(['content'], { type: 'text/plain' }), 'n.txt');
out.push(show(await axios.put(`${base}/echo`, form)));
out.push(show(await axios.patch(`${base}/echo`, 'text', { headers: { 'content-type': 'text/plain' },
  auth: { username: 'u', password: 'p' } })));
out.push(show(await axios.delete(`${base}/echo`)));
out.push(show(await axios({ method: 'options', url: '/echo', baseURL: base })));
out.push(show(await axios.head(`${base}/echo`)));
out.push(show(await axios.get(`${base}/gzip`)));
out.push(await axios.get(`${base}/status/404`).catch(failure), await axios.get(`${base}/status/503`).catch(failure));
out.push(show(await axios.get(`${base}/status/404`, { validateStatus: (s) => s < 500 })));
const redirected = await axios.get(`${base}/redirect`);
out.push([show(redirected), redirected.request.res.responseUrl === `${base}/echo?from=redirect`]);
out.push(await axios.get(`${base}/redirect`, { maxRedirects: 0 }).catch(failure));
out.push(show(await axios.post(`${base}/redirect307`, { a: 1 })));
out.push(await axios.get(`${base}/loop`, { maxRedirects: 3 }).catch(failure));
out.push(await axios.get(`${base}/never`, { timeout: 50 }).catch(failure));
const controller = new AbortController();
const pending = axios.get(`${base}/never`, { signal: controller.signal }).catch(failure);
setTimeout(() => controller.abort(), 50);
out.push(await pending, await axios.get(base, { signal: AbortSignal.abort() }).catch(failure));
out.push(await axios.get(`${base}/short`).catch((e) => [e.code]));
const client = axios.create({ baseURL: base, headers: { common: { 'X-Own': 'client' } }, timeout: 20000 });
client.interceptors.request.use((config) => { config.params = { ...config.params, added: 1 }; return config; });
client.interceptors.response.use((r) => {
  r.data.seen = true; return r;
}, (e) => Promise.reject(new Error(`seen ${e.response.status}`)));
out.push((await client.get('/echo')).data, await client.get('/status/500').catch((e) => e.message));
const stream = (await axios.get(`${base}/lines`, { responseType: 'stream' })).data;
let text = '';
for await (const chunk of stream) text += chunk;
out.push(text);
out.push(Buffer.from((await axios.get(`${base}/lines`, { responseType: 'arraybuffer' })).data).toString('hex'));
let progress = 0;
out.push((await axios.get(`${base}/large`, { onDownloadProgress: (e) => { progress = e.loaded; } })).data.length,
  progress);
out.push(await axios.get(`${base}/large`, { maxContentLength: 1000 }).catch(failure));
const { Readable } = require('stream');
out.push((await axios.post(`${base}/echo`, Readable.from(['a', 'b']),
  { headers: { 'content-type': 'text/plain' } })).data.body);
out.push((await Promise.all(Array.from({ length: 20 }, (_, i) => axios.get(`${base}/echo`, { params: { i } })))).map(
  (r) => r.data.url));
out.push((await axios.get(`${base}/echo`, { adapter: 'fetch', params: { f: 1 } })).data);
out.push((await axios.get(`${base}/json`, { transformResponse: [(data) => JSON.parse(data).a + 1] })).data);
const headers = (await axios.get(`${base}/json`)).headers;
out.push(headers['content-type'], headers.get('X-Twice'), headers.has('nothing'));
return JSON.stringify(out);
