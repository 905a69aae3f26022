// References to groups by names that come later are looked for through a long expression, once for each of them.
// ends: time limit or exception SyntaxError
return new RegExp('\\k<last>'.repeat(1e5) + '[a(b)c]'.repeat(1e5) + '(?<last>x)').test('x');
