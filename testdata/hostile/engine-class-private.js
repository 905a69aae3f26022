// Private fields are put on objects that are no instances, twice, and on proxies.
// ends: returns ok
class Base {
  constructor(object) {
    return object;
  }
}
class Stamp extends Base {
  #mark = 1;
  static read(object) {
    return #mark in object && object.#mark;
  }
}
for (const object of [{}, [], new Proxy({}, {}), Object.freeze({}), function () {}, globalThis, new Uint8Array(1)]) {
  for (let i = 0; i < 2; i++) {
    try {
      new Stamp(object);
    } catch {}
  }
  try {
    Stamp.read(object);
  } catch {}
}
return 'ok';
