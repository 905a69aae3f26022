// What a trap for keys returns has to be compared with all keys of a target that cannot be extended.
// ends: time limit
const target = {};
for (let i = 0; i < 3e4; i++) target['k' + i] = i;
Object.preventExtensions(target);
const keys = Reflect.ownKeys(target).reverse();
const proxy = new Proxy(target, { ownKeys: () => keys });
for (;;) Reflect.ownKeys(proxy);
