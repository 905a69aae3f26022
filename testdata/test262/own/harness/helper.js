var helped = typeof assert;
let lexical = 'of a script';
