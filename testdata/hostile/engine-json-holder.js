// A reviver and a toJSON change the objects that are being gone through.
// ends: returns ok
JSON.parse('{"a": [1, 2, 3], "b": {"c": 1}, "d": 1}', function (key, value) {
  if (key === '0') this.length = 0;
  if (key === 'a') delete this.b;
  if (key === '1') Object.setPrototypeOf(this, new Proxy([], {}));
  if (key === 'c') Object.freeze(this);
  return value;
});
const list = [1, { toJSON: () => (list.length = 0) }, 3, 4];
JSON.stringify(list);
const object = { a: { toJSON: () => (delete object.b, object.z = 1) }, b: 2, c: { toJSON: () => object } };
try {
  JSON.stringify(object);
} catch {}
return 'ok';
