const { default: got } = require('got');
const out = [await got(`${base}/echo`, { searchParams: { q: 1 }, headers: { 'x-own': 'me' } }).json()];
out.push(await got.post(`${base}/echo`, { json: { a: 1 } }).json(), await got(`${base}/status/404`,
  { retry: { limit: 0 } }).catch((e) => [e.name, e.code, e.response.statusCode]));
out.push((await got(`${base}/redirect`)).statusCode, await got(`${base}/never`, { timeout: { request: 50 },
  retry: { limit: 0 } }).catch((e) => [e.name, e.code]));
out.push((await got(`${base}/flaky`, { retry: { limit: 3, calculateDelay: ({ computedValue }) => computedValue &&
  1 } })).body);
return JSON.stringify(out);
