// A for-in loop asks for the keys of each of many prototypes that are proxies.
// ends: time limit or exception RangeError
let object = null;
for (let i = 0; i < 2000; i++) {
  object = Object.create(new Proxy(Object.create(object), {
    ownKeys: () => ['a' + i, 'b' + i], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  }));
}
let seen = 0;
for (;;) for (const name in object) seen += name.length;
