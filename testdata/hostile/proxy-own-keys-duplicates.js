// Each of tens of thousands of keys has to be compared with the others, to find out that none is there twice.
// ends: time limit
const keys = Array.from({ length: 2e5 }, (_, i) => 'k' + i);
const proxy = new Proxy({}, { ownKeys: () => keys });
for (;;) Reflect.ownKeys(proxy);
