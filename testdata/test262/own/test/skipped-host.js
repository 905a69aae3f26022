/*---
---*/
$262.createRealm();
