// Random bytes are kept, which cost the host a system call as well.
// ends: memory limit or time limit
const kept = [];
for (;;) kept.push(crypto.getRandomValues(new Uint8Array(65536)));
