// Jobs are queued without ever letting one of them run.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
for (let i = 0; ; i++) Promise.resolve().then(() => i);
