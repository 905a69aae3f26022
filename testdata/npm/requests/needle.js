const needle = require('needle');
const out = [];
out.push((await needle('get', `${base}/echo?q=1`, { headers: { 'X-Own': 'me' } })).body);
out.push((await needle('post', `${base}/echo`, { a: 1 }, { json: true })).body,
  (await needle('post', `${base}/echo`, { a: 'b c' })).body);
out.push((await needle('get', `${base}/status/404`)).statusCode, (await needle('get', `${base}/redirect`)).statusCode);
out.push((await needle('get', `${base}/redirect`, { follow_max: 3 })).body);
out.push(await needle('get', `${base}/never`, { response_timeout: 50 }).catch((e) => [e.message, e.code]));
return JSON.stringify(out);
