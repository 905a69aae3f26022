const axios = require('axios');
const { default: axiosRetry } = require('axios-retry');
const client = axios.create({ baseURL: base });
let retries = 0;
axiosRetry(client, { retries: 3, retryDelay: () => 1, onRetry: () => { retries++; } });
const { data } = await client.get('/flaky');
return JSON.stringify([data, retries, await client.get('/status/500').catch((e) => [e.message, e.response.status]),
  retries]);
