// Each control character becomes six.
// ends: memory limit
const ballast = new Uint8Array(5.5e7); // leaves less to fill
return JSON.stringify('\u0001'.repeat(2e6)).length;
