// Each match has thousands of groups, most of which did not take part.
// ends: time limit or memory limit or exception SyntaxError
const expression = new RegExp('(?:' + '(b)?'.repeat(200) + 'a)', 'g');
for (;;) 'a'.repeat(1e4).match(expression) && [...'a'.repeat(1e4).matchAll(expression)];
