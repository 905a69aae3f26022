#!/usr/bin/env nothing
/*---
flags: [raw]
---*/
if (typeof assert !== 'undefined') throw 'the harness is there';
