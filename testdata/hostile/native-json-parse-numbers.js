// Numbers with thousands of digits are parsed.
// ends: time limit
const text = '[' + ('1' + '0'.repeat(5000) + '.' + '9'.repeat(5000) + 'e-4999,').repeat(100) + '0]';
for (;;) JSON.parse(text);
