// A text is doubled until there is no room for it.
// ends: memory limit
let text = 'x';
for (;;) text += text;
