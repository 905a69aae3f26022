// A buffer among the arguments shrinks while the arguments after it are looked at.
// ends: exception RangeError
const buffer = new ArrayBuffer(1e6, { maxByteLength: 1e6 });
echo(new Uint8Array(buffer, 0), {
  toJSON() {
    buffer.resize(0);
    return true;
  },
});
