// Calls that carry bytes are made while other calls that carry bytes are being put together.
// ends: returns 1,2,3
const inner = { toJSON: () => echo(new Uint8Array([2]))[0][0] };
const [a, b, c] = echo(new Uint8Array([1]), inner, new Uint8Array([3]));
return [a[0], b, c[0]].join();
