// Dates are kept, with a property each.
// ends: memory limit
const ballast = new Uint8Array(5.5e7); // leaves less to fill
const dates = [];
for (let i = 0; ; i++) dates.push(Object.assign(new Date(i), { i }));
