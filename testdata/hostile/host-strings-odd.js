// All units of UTF-16, alone and out of order, cross to the host and back.
// ends: returns 65536 true
let text = '';
for (let i = 0; i < 65536; i++) text += String.fromCharCode(i);
const back = echo(text)[0];
return back.length + ' ' + (back.slice(0, 0xd800) === text.slice(0, 0xd800));
