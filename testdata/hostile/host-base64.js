// Texts of megabytes become base64, and bytes again.
// ends: time limit or memory limit
const text = 'x'.repeat(5e6);
for (;;) atob(btoa(text));
