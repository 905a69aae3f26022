// Each call has hundreds of variables and arguments, so that few calls need much of the stack.
// ends: exception RangeError
const names = Array.from({ length: 500 }, (_, i) => 'v' + i).join();
const again = new Function('again', names, `return again(again, ${names.replaceAll(',', ' + 1, ')})`);
again(again);
