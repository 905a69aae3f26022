const request = require('superagent');
const out = [];
const failure = (e) => [e.status, e.message, e.code];
out.push((await request.get(`${base}/echo`).query({ q: 'a b' }).set('X-Own', 'me')).body);
out.push((await request.post(`${base}/echo`).send({ a: 1 })).body,
  (await request.post(`${base}/echo`).type('form').send({ a: 'b c' })).body);
out.push((await request.put(`${base}/echo`).auth('u', 'p').send('x=1')).body);
out.push(await request.get(`${base}/status/404`).catch(failure));
out.push(await request.get(`${base}/never`).timeout({ response: 50 }).catch((e) => [e.code, e.timeout]));
out.push((await request.get(`${base}/redirect`)).redirects.length,
  (await request.get(`${base}/redirect`).redirects(0).catch(failure)));
out.push((await request.get(`${base}/flaky`).retry(3)).text, (await request.get(`${base}/gzip`)).body);
return JSON.stringify(out);
