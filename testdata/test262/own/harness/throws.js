throw new TypeError('thrown by the harness');
