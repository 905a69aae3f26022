// Thousands of arrow functions with templates as default parameters are nested.
// ends: memory limit
return new Function('return (' + '(a = `${b}`) => '.repeat(3000) + '1)');
