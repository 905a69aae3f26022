// Buffers are transferred, detached by nobody else, and transferred again.
// ends: returns DataCloneError
const buffer = new ArrayBuffer(8);
try {
  structuredClone(buffer, { transfer: [buffer, buffer] });
} catch (error) {
  return error.name;
}
