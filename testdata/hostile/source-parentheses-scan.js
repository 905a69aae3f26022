// Each parenthesis is looked through to its end, to find out whether an arrow follows.
// ends: exception
return eval('('.repeat(4000) + 'a, '.repeat(3e5) + 'a' + ')'.repeat(4000));
