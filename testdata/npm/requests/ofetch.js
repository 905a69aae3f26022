const { ofetch, $fetch } = require('ofetch');
const out = [];
out.push(await ofetch('/echo', { baseURL: base, query: { q: 'a b', n: 1 }, headers: { 'x-own': 'me' } }));
out.push(await $fetch(`${base}/echo`, { method: 'POST', body: { a: 1 } }));
out.push(await ofetch(`${base}/status/404`).catch((e) => [e.name, e.status, e.data, e.message]));
out.push(await ofetch(`${base}/flaky`, { retry: 3, retryDelay: 1, parseResponse: (text) => text }));
out.push(await ofetch(`${base}/never`, { timeout: 50, retry: 0 }).catch((e) => [e.name, e.cause?.name]));
const api = ofetch.create({ baseURL: base, onRequest({ options }) { options.headers.set('x-own', 'hook'); } });
const raw = await api.raw('/redirect');
out.push(raw._data, raw.redirected, await api('/lines', { responseType: 'text' }),
  (await api('/large', { responseType: 'arrayBuffer' })).byteLength);
return JSON.stringify(out);
