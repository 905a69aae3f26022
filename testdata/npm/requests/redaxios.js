const redaxios = require('redaxios');
const out = [(await redaxios.get(`${base}/echo`, { params: { a: 1 }, headers: { 'x-own': 'me' } })).data];
out.push((await redaxios.post(`${base}/echo`, { a: 1 })).data,
  await redaxios.get(`${base}/status/404`).catch((e) => [e.status, e.data]));
return JSON.stringify(out);
