// The method copyWithin moves and deletes nothing, 2**53 times.
// ends: time limit
[].copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1);
