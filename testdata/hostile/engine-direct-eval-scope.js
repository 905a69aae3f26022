// Evaluated code adds, shadows and removes variables of functions that are running.
// ends: returns ok
const f = new Function('code',
  'let kept = 1; eval(code); var inner = () => kept; eval("var added = 2; delete added; var kept2 = 3"); return inner() + kept2');
for (const code of ['var code = 1', 'arguments[0] = 2', 'delete arguments', 'var inner = 5',
  'function f() {}', 'this.x = 1', 'kept = () => 1']) f(code);
return 'ok';
