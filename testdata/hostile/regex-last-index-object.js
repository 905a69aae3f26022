// The lastIndex of an expression is an object whose conversion runs another search with the same expression.
// ends: exception RangeError or time limit
const expression = /a/g;
expression.lastIndex = {
  valueOf() {
    return expression.test('aaa') ? 1 : 0;
  },
};
return expression.test('aaa');
