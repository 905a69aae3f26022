// A Map with strings for keys.
function main() {
  const map = new Map();
  for (let i = 0; i < 40000; i++) map.set('k' + i, i);
  let sum = 0;
  for (const [key, value] of map) sum += value + key.length;
  return sum;
}
