const ts = require('typescript');
const out = ts.transpileModule(
  'enum E { A = 1, B } interface I { x: E } const v: I = { x: E.B }; export class C<T> { constructor(private readonly t: T) {} }', {
  compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2020 },
});
const file = ts.createSourceFile('x.ts', 'function f(a: number): string { return "" }', ts.ScriptTarget.Latest, true);
return JSON.stringify([out.outputText, file.statements[0].name.text, ts.SyntaxKind[file.statements[0].kind],
  ts.version.split('.').length]);
