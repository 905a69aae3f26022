// Sorting numbers with a function that compares.
function main() {
  const numbers = [];
  let x = 12345;
  for (let i = 0; i < 40000; i++) {
    x = (x * 1103515245 + 12345) & 0x7fffffff;
    numbers.push(x);
  }
  numbers.sort((a, b) => a - b);
  return numbers[5];
}
