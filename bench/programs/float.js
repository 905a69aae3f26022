// The product of two matrices of floating-point numbers.
function main() {
  const n = 60, a = [], b = [];
  for (let i = 0; i < n * n; i++) {
    a.push(Math.sqrt(i));
    b.push(i / 7);
  }
  let total = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      total += sum;
    }
  }
  return total.toPrecision(12);
}
