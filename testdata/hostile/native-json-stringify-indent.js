// A deep value is indented by ten characters for each level.
// ends: time limit or memory limit
let nested = 0;
for (let i = 0; i < 700; i++) nested = [nested, i];
for (;;) JSON.stringify(nested, null, 'abcdefghij');
