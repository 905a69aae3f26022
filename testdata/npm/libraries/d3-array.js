const d3 = require('d3-array');
return JSON.stringify([
  d3.mean([1, 2, 6]), d3.quantile([1, 2, 3, 4], 0.5), d3.extent([5, 1, 9]),
  [...d3.rollup(['a', 'b', 'a'], (v) => v.length, (x) => x)],
  d3.bin().thresholds([2, 4])([1, 2, 3, 4]).map((b) => b.length), d3.ticks(0, 1, 5), d3.cross([1, 2], ['a']),
]);
