const { default: wretch } = require('wretch');
const { default: QueryString } = require('wretch/addons/queryString');
const { default: FormData } = require('wretch/addons/formData');
const { default: FormUrl } = require('wretch/addons/formUrl');
const { retry } = require('wretch/middlewares');
const api = wretch(base).addon(QueryString).addon(FormData).addon(FormUrl);
const out = [];
out.push(await api.url('/echo').query({ a: 'b c', l: [1, 2] }).headers({ 'x-own': 'me' }).get().json());
out.push(await api.url('/echo').post({ a: 1 }).json(), await api.url('/echo').formUrl({ a: 'b c' }).post().json());
out.push(await api.url('/echo').formData({ a: 'b' }).post().json(),
  await api.url('/echo').auth('Bearer t').delete().json());
out.push(await api.url('/status/404').get().notFound((e) => ['none', e.status, e.message]).json());
out.push(await api.url('/status/418').get().json().catch((e) => [e.name, e.status]));
out.push(await api.middlewares([retry({ delayTimer: 1, maxAttempts: 4, retryOnNetworkError: true })]).url(
  '/flaky').get().text());
out.push(await api.url('/redirect').get().res((r) => [r.redirected, r.status]));
return JSON.stringify(out);
