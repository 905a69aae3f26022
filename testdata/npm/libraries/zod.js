const { z } = require('zod');
const Person = z.object({
  name: z.string().min(2).transform((s) => s.trim()), age: z.coerce.number().int().positive(),
  email: z.email().optional(),
  tags: z.array(z.enum(['a', 'b'])).default([]),
  kind: z.discriminatedUnion('t', [z.object({ t: z.literal('x'), n: z.number() }), z.object({ t: z.literal('y') })]),
});
const bad = Person.safeParse({ name: 'A', age: -1, email: 'nope', kind: { t: 'z' } });
return JSON.stringify([
  Person.parse({ name: ' Ann ', age: '31', kind: { t: 'y' } }), bad.success,
  bad.error.issues.map((i) => [i.path.join('.'), i.code, i.message]),
  z.toJSONSchema(z.object({ a: z.string(), b: z.number().optional() })),
]);
