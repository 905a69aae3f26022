// Asks for scrypt with more memory than there is.
// ends: memory limit
return require('crypto').scryptSync('p', 's', 8, { N: 2 ** 30, r: 64, maxmem: 2 ** 50 }).length;
