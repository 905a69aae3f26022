// The method reduceRight looks for a first value among holes.
// ends: time limit
return [].reduceRight.call({ length: 2 ** 53 - 1 }, (a) => a);
