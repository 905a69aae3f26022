// The method splice shifts what does not exist to where nothing is.
// ends: time limit
[].splice.call({ length: 2 ** 53 - 2 }, 0, 0, 'first');
