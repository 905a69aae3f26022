// What tests of the format of test262 find, as far as those beside this file need it.
function assert(condition, message) {
  if (condition !== true) throw new Test262Error(message || 'not true');
}
assert.sameValue = function (actual, expected, message) {
  assert(Object.is(actual, expected), (message || '') + ' ' + String(actual) + ' instead of ' + String(expected));
};
assert.throws = function (type, f) {
  try {
    f();
  } catch (error) {
    assert.sameValue(error.constructor, type);
    return;
  }
  throw new Test262Error('nothing was thrown');
};
