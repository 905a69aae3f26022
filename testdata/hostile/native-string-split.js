// The method split makes an array of millions of strings.
// ends: memory limit
return 'a'.repeat(2e7).split('');
