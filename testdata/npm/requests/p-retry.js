const { default: pRetry, AbortError } = require('p-retry');
const attempts = [];
const text = await pRetry(async (n) => {
  const r = await fetch(`${base}/flaky`);
  attempts.push([n, r.status]);
  if (!r.ok) throw new Error(r.statusText);
  return r.text();
}, { retries: 3, minTimeout: 1 });
return JSON.stringify([text, attempts, await pRetry(() => { throw new AbortError('no'); }).catch((e) => e.message)]);
