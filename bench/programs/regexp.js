// All matches of a regular expression with groups.
function main() {
  const text = 'the quick brown fox 123 jumps over 456 lazy dogs '.repeat(4000);
  let digits = 0;
  for (const match of text.matchAll(/(\w+)\s(\d+)/g)) digits += match[2].length;
  return digits;
}
