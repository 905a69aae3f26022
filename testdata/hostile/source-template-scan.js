// A function with thousands of templates as default parameters is read ahead for each of them.
// ends: memory limit
new Function('return (' + '(a = `${b}`) => '.repeat(3000) + '1)');
return 'done';
