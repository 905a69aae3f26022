// A hundred thousand operators stand in front of one operand.
// ends: exception
return eval('- '.repeat(3e5) + '1');
