// A call has more arguments than fit on the stack.
// ends: exception
return eval('Math.max(' + '1,'.repeat(7e4) + '1)');
