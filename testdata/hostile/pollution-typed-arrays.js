// Getters and methods of typed arrays and buffers lie about what they are.
// ends: returns AB
const lie = { get: () => 1e9, configurable: true };
const typed = Object.getPrototypeOf(Uint8Array.prototype);
for (const name of ['length', 'byteLength', 'byteOffset', 'buffer']) Object.defineProperty(typed, name, lie);
Object.defineProperty(ArrayBuffer.prototype, 'byteLength', lie);
typed.set = typed.subarray = typed.slice = ArrayBuffer.prototype.slice = () => {
  throw new Error('replaced');
};
const bytes = new Uint8Array([65, 66]);
fs.writeFileSync('/a', bytes);
echo(bytes);
console.log(bytes);
return fs.readFileSync('/a', 'utf8');
