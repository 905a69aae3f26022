const fetch = require('cross-fetch');
const r = await fetch(`${base}/echo`, { method: 'POST', body: 'x', headers: { 'x-own': 'me',
  'content-type': 'text/plain' } });
return JSON.stringify([r.ok, await r.json(), (await fetch(`${base}/status/404`)).status,
  await (await fetch(`${base}/redirect`)).json()]);
