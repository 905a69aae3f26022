// Asks for scrypt that goes on for hours in little memory.
// ends: time limit
return require('crypto').scryptSync('p', 's', 8, { N: 2 ** 10, r: 8, p: 2 ** 14, maxmem: 2 ** 31 }).length;
