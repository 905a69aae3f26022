// Halves of characters, zeros, escapes of terminals and all that is not printable go to the console.
// ends: time limit
let text = '';
for (let i = 0; i < 65536; i++) text += String.fromCharCode(i);
for (;;) console.log(text, [text]);
