// Objects that are not plain are shown again and again, and the host is asked about each.
// ends: time limit
const odd = Array.from({ length: 1000 }, (_, i) => Object.assign(Object.create({}), { i }));
for (;;) console.log(odd);
