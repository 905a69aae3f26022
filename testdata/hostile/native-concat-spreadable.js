// The method concat spreads an object that says that it is long.
// ends: time limit
return [].concat({ length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true }).length;
