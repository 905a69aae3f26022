// Building a string out of characters.
function main() {
  let s = '';
  for (let i = 0; i < 100000; i++) {
    s += String.fromCharCode(97 + i % 26);
    if (i % 100 === 0) s = s.slice(-5000);
  }
  return s.length;
}
