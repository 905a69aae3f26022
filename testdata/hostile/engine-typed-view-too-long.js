// The buffer of a view becomes smaller while the view is made, by a getter of what makes it. The view is written to.
// ends: returns RangeError RangeError RangeError
const names = [];
for (const [type, ...more] of [[Uint8Array], [Float64Array, 8], [Int32Array, 0, 1000]]) {
  const buffer = new ArrayBuffer(1 << 20, { maxByteLength: 1 << 20 });
  const target = new Proxy(function () {}, {
    get(object, key) {
      if (key === 'prototype') buffer.resize(4);
      return object[key];
    },
  });
  try {
    const view = Reflect.construct(type, [buffer, ...more], target);
    for (let i = 0; i < 1000; i++) view[i] = -1;
    names.push('none');
  } catch (e) {
    names.push(e.name);
  }
}
return names.join(' ');
