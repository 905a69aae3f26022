// What looks like arrow functions is read ahead at each level, and parsed again.
// ends: exception
return eval('(a = '.repeat(20000) + '1' + ') => 1'.repeat(20000));
