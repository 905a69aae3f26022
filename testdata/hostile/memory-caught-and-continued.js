// Each refusal is caught, and the script goes on to ask for a little less.
// ends: returns caught
let caught = 0;
for (let size = 2 ** 30; size > 1e7; size /= 2) {
  try {
    new ArrayBuffer(size);
  } catch {
    caught++;
  }
}
return caught > 0 && 'caught';
