const { fetch, request } = require('undici');
return JSON.stringify([await (await fetch(`${base}/echo`)).json(), (await request(`${base}/json`)).statusCode]);
