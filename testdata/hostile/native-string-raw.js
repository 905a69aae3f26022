// String.raw puts a template together that says it has 2**53 - 1 parts.
// ends: time limit or memory limit
return String.raw({ raw: { length: 2 ** 53 - 1 } }).length;
