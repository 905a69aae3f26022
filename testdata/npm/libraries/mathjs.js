const math = require('mathjs');
return JSON.stringify([
  math.evaluate('det([1, 2; 3, 4])'), math.format(math.evaluate('2 inch to cm')), math.derivative('x^3 + sin(x)',
    'x').toString(),
  math.bignumber('0.1').plus('0.2').toString(), math.simplify('2x + 3x').toString(),
  math.chain(3).add(4).multiply(2).done(), math.lusolve([[2, 1], [1, 3]], [3, 5]),
  math.format(math.sqrt(-4)), math.fraction(1, 3).add(math.fraction(1, 6)).toFraction(),
]);
