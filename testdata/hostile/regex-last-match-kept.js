// RegExp.$1 and the like hold on to long strings, and are asked for again and again.
// ends: returns 1
let sum = 0;
for (let i = 0; i < 12; i++) {
  const text = `${'x'.repeat(4e6)}${i}`;
  if (/(\d+)$/.test(text.slice(3_000_000)) && RegExp.$1 === String(i) && RegExp.leftContext.length === 1e6) sum++;
  text.slice(3_999_990).replace(/(x)/g, '');
  if (RegExp.$1 !== 'x' || RegExp.$9 !== '') throw new Error(RegExp.$1);
}
return sum === 12 ? 1 : sum;
