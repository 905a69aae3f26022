/*---
features: [Temporal]
---*/
Temporal.Now.instant();
