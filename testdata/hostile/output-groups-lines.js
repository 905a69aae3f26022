// A text of many lines is indented by thousands of groups.
// ends: time limit or memory limit
for (let i = 0; i < 5000; i++) console.group();
for (;;) console.log('\n'.repeat(1e5));
