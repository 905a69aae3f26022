// A text is put together from both ends, so that it is a tree as deep as it is long, and flattened in each turn.
// ends: time limit or memory limit
let text = '';
for (let i = 0; ; i++) {
  text = 'a' + text + 'b';
  if (i % 1000 === 0) text.charCodeAt(i);
}
