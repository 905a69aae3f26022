// Promises with reactions wait, and each reaction keeps a value.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const never = new Promise(() => {});
for (let i = 0; ; i++) never.then(() => i);
