package module_test

import (
	"fmt"
	"strconv"
	"strings"
)

// program is code that can have any size, because it repeats a part.
type program struct {
	name         string
	head         string
	part         func(i int) string
	core, ending string
	after        string // repeated as well, to close what part opens
}

// sized returns a program of at most size bytes, if that is possible.
func (p program) sized(size int) string {
	var b strings.Builder
	b.WriteString(p.head)
	times := 0
	for room := size - len(p.head) - len(p.core) - len(p.ending); ; times++ {
		part := p.part(times)
		if room -= len(part) + len(p.after); room < 0 {
			break
		}
		b.WriteString(part)
	}
	b.WriteString(p.core)
	b.WriteString(strings.Repeat(p.after, times))
	b.WriteString(p.ending)
	return b.String()
}

// The grammar of the corpus. § stands for a different number each time.
var (
	comments = []string{
		"/**/", "/*!*/", "/*! § */", "/* @license */", "/** @preserve § */", "//\n", "//!\n", "//! §\n",
		"// @license §\n", "/*\n*/", "/*!\n*/", "/*! §\n */\n",
		"/* @__PURE__ */", "/* #__NO_SIDE_EFFECTS__ */", "/* webpackIgnore: true */", "/* @vite-ignore */",
		"//# sourceMappingURL=§\n", "//@ sourceURL=§\n",
		"/// <reference path='§'/>\n", "/* @jsx h§ */", "// @jsxImportSource §\n", "/* é😀 */", "/*!😀*/", "\n",
		"\u2028", "\t", "\ufeff", "/*!*/\n", "/*! @cc_on */",
	}
	operands = []string{
		"1", "a", "a§", "'s'", "'s§'", "`t`", "`${a}`", "`t${§}`", "/r/", "/r§/g", "null", "this", "1n", "0x1F",
		"1_0.5e3", "'\\u{1F600}\\x41\\101'", "'\\\n'", "é", "\\u0061§", "𝒳§",
		"[]", "{}", "({})", "[,]", "[a]", "({a})", "({a§:1})", "({'a§':1})", "({[a]:1})", "({__proto__:1})",
		"({get a(){return 1}})", "({async *a§(){}})", "({...a})", "[...a]",
		"()=>a", "(a)=>{}", "async()=>{}", "function(){}", "function*(){}", "class{}", "class A§{}",
		"class{#a§;b=1}", "class{static{}}", "(class{@d x})", "new a", "new a.b(1)", "a()", "a?.()",
		"a[0]", "a?.[0]", "a.b", "a.#b", "a``", "a`${b}`", "a!", "a as T", "<T>a", "a satisfies T", "a<T>", "a<T>()",
		"import('a§')", "import.meta", "require('a§')", "new.target", "await a", "yield",
		"delete a.b", "typeof a", "void 0", "!a", "-a", "a++", "(a,b)", "(a)", "a?b:c", "a=b", "a??=b", "[a]=b",
		"({a}=b)", "({a:[b§]}={})", "(a?:T)=>b", "(a:T):a is T=>b", "true", "eval('a')", "arguments",
	}
	operators = []string{
		" ", "\n", ";", ",", "+", "-", "*", "/", "%", "**", "&&", "||", "??", "|", "&", "^", "==", "===", "!=",
		"<", ">",
		"<=", "<<", ">>", ">>>", "=", "+=", "=>", "?", ":", " in ", " instanceof ", ".", "?.", " as ", " satisfies ",
	}
	statements = []string{
		"a;", "a§;", ";", "{}", "{a§}", "let a§;", "let a;", "var a;", "var a§;", "const a§=1;", "const a§=§,b§=a§;",
		"var {a§,b§:[c§]}=d;", "var a§:T=1;", "let a§!:T;", "using a§=b;", "await using a§=b;", "declare let a§:T;",
		"declare var a;",
		"function f(){}", "function f§(){}", "function f§<T>(a:T,b?:U):a is T{}", "function f§():void;",
		"async function* f§(){}", "declare function f§():void;", "function f§(a,a){}", "function f§({a,b}={}){}",
		"class A§{}", "class A{}",
		"abstract class A§<T> extends B<T> implements C,D{abstract x:T;private y?:U;readonly z=1;" +
			"constructor(public a,private b?:T){super()}}",
		"declare class A§{x:T}", "class A§{static #p=1;get x(){return 1}set x(v){}static{}}",
		"class A§{[k:string]:T;[a]=1;'b'=2;accessor c=1}", "@d class A§{@e x;@f() m(@g a){}}", "export class A§{}",
		"export default class{}", "export {a§};", "export {a as b§};", "export * from 'a§';",
		"export * as n§ from 'b§';", "export const e§=1;", "export = a;", "export as namespace a;",
		"export import a§ = b.c;",
		"import 'a';", "import 'a§';", "import a§ from 'a';", "import {a§} from 'b';", "import {a as b§} from 'c§';",
		"import * as a§ from 'b';", "import type {T§} from 'a';", "import {type T§} from 'b';",
		"import a§ = require('b');", "import a§ = b.c;", "import a§ from 'b' with {type:'json'};",
		"a§;import b§ from 'c§';b§;",
		"enum E{a}", "enum E§{a}", "enum E§{a,b,c=1<<2,d='x',e=a|b}", "const enum E§{a}", "declare enum E§{a}",
		"enum E{a§=§}", "enum E{a=1}E.a;", "namespace N{}", "namespace N{export let a§=1}",
		"namespace N§{export let a=1;a}", "namespace N§.M{export class A{}}", "declare namespace N§{let a}",
		"declare module 'a§'{}", "declare global{let a§}", "namespace N{export import a§=b.c}",
		"namespace N{export enum E§{a}}", "namespace N{export let a}",
		"interface I§{}", "interface I{a§:T;b(c):D;new():E;[k:string]:F;readonly g?:H}", "type T§=a;",
		"type T§={a:b}&c|d[];", "type T§<A extends B=C>=A extends infer D?D:never;", "type T§=`a${b}`;",
		"type T§={readonly[K in A as B]?:C};", "type T§=typeof import('a');", "type T§=unique symbol;",
		"type T§=asserts a is b;", "type T§=[a?:b,...c:d[]];", "type T§=new()=>void;", "let a§:<T>(a:T)=>T;",
		"if(a)b;", "if(a){}else{}", "for(;;);", "for(var a;;);", "for(var a of b);", "for(let a§ in b){}",
		"for await(const a§ of b);", "while(a)b;", "do a;while(b);", "do a;while(b)", "switch(a){case 1:default:}",
		"try{}catch{}", "try{}catch(e){var e}finally{}", "throw a;", "return;", "return a;", "l§:a;", "l:a;",
		"l§:for(;;){break l§}", "for(;;){continue}", "debugger;", "with(a)b;", "'use strict';", "'d§';",
		"\"use asm\";",
		"a\n++b\n", "a\n/b/c\n", "<T>a;", "a<b>(c);", "@d export class A§{}", "async()=>{};", "let let§;", "yield§;",
		"var async;", "(a)\n", "`${`${a}`}`;", "let [a§]=b;", "let {...a§}=b;", "a?.b?.c;", "a ||= b;", "if(0){a§}",
		"if(false)var a§;", "while(0)a§;", "true?a§:b§;", "1+1;", "'a'+'b';", "typeof a==='b§';", "void a§();",
		"/*!*/;", "/*! § */a;", "<!--\n", "-->\n", "#!a\n", "#a;", "import.meta.a;", "new a§();", "delete a§;",
		"super.a§;",
	}
	// bodies enclose statements, and spaces enclose comments. commented is code that comments accompany.
	bodies = [][2]string{
		{"function f(){", "}"}, {"async()=>{", "}"}, {"namespace N{", "}"}, {"class A{static{", "}}"},
		{"{", "}"}, {"if(0){", "}"}, {"declare namespace N{", "}"}, {"switch(a){case 1:", "}"},
	}
	spaces = [][2]string{
		{"", ""}, {"", "a"}, {"a", ""}, {"a", "b"}, {"f(", "a)"}, {"f(a", ")"}, {"x={", "a:1}"}, {"x={a:", "1}"},
		{"x=[", "]"}, {"class A{", "}"}, {"class A{a", "=1}"}, {"enum E{", "a}"}, {"enum E{a=", "1}"},
		{"interface A{", "a:b}"}, {"type T=", "a"}, {"switch(a){", "case 1:}"}, {"if(a)", "b"},
		{"if(a){}", "else{}"}, {"function f(", "){}"}, {"function f()", "{}"}, {"()=>", "a"},
		{"import {", "a} from 'b';a"}, {"import(", "'a')"}, {"export {", "};"}, {"`${", "a}`"}, {"for(", ";;);"},
		{"return ", "1"}, {"namespace N{", "export let a}"}, {"@d ", "class A{}"}, {"<", "T>a"}, {"f<", "T>()"},
		{"a?", "b:c"}, {"new ", "a"}, {"async", "()=>1"}, {"a.", "b"}, {"class A{static{", "}}"},
		{"try{}", "catch{}"}, {"(", "a)"}, {"x=", "a=>1"}, {"let a:", "T"}, {"a+", "b"},
	}
	commented = []string{
		"a;", "a§;", "a,", "a+", "let a§;", "class A§{}", "enum E§{a}", "f(", "function f§(){}", "{}",
		"type T§=a;", "import 'a§';", ";", "export let a§;", "if(a)b;else{}",
	}
	// lists are the start, separator and end around elements.
	lists = [][3]string{
		{"x=[", ",", "]"}, {"f(", ",", ")"}, {"x={a:", ",b§:", "}"}, {"x={", ",", "}"}, {"new f(", ",", ")"},
		{"`${", "}${", "}`"}, {"x=(", ",", ")"}, {"switch(x){case ", ":case ", ":}"},
		{"switch(x){case ", ":a§;case ", ":}"}, {"x={['a']:", ",['b']:", "}"}, {"f`${", "}${", "}`"},
		{"@d(", ") @d(", ") class A{}"}, {"class A{a=", ";b=", "}"}, {"class A{[", "];[", "]}"},
		{"class A{@d(", ") x;@d(", ") y}"}, {"class A{static{", ";", "}}"}, {"let a=", ",b§=", ";"},
		{"var a=", ",a=", ";"}, {"function f(a=", ",b§=", "){}"}, {"(a=", ",b§=", ")=>c"},
		{"let [a=", ",b§=", "]=c"}, {"let {a=", ",b§=", "}=c"}, {"[a=", ",b=", "]=c"}, {"enum E{a=", ",b§=", "}"},
		{"enum E{a=", ",a=", "}"}, {"return [", ",", "]"}, {"export default [", ",", "]"},
		{"if(", ");else if(", ");"}, {"while(", ");while(", ");"}, {"throw ", ";throw ", ""}, {"a?", ":a?", ":b:c"},
	}
	// members are the start, members and end of constructs that have members.
	members = [][3]string{
		{"class A{", "a;|a§;|a=1;|a§=1;|static a§;|#a§;|#a;|a(){}|a§(){}|get a§(){return 1}|set a(v){}|" +
			"static async *a(){}|constructor(){}|constructor(private a§){}|@d a§;|@d a(){}|@d()@e a;|" +
			"declare a;|abstract a;|private readonly a?:T;|a<T>():void;|[a]=1;|[k:string]:T;|static{}|" +
			"static{var a}|accessor a§;|'a'=1;|1=2;|;|a\n|get\n|static\n|'constructor':1;|'__proto__';|" +
			"get;set;static;async;|@a.b.c(d) x;|constructor();|a!:T;|override a;", "}"},
		{"x={", "a,|a§,|a:1,|a§:1,|'a':1,|'a§':1,|[a]:1,|get a(){return 1},|set a§(v){},|a(){},|async *a§(){},|" +
			"...a,|__proto__:1,|1:2,|1.5e3:1,|1n:1,|a=1,|async,|get,|'__proto__':a,", "}"},
		{"interface A{", "a;|a:T;|a§?:T,|(a):T;|new():T;|[k:string]:T;|get a():T;|a<T>(b:T):c;|readonly a;|-readonly " +
			"a;|" +
			"[a]:T;|'a':T;|1:T;|#a;", "}"},
		{"enum A{", "a,|a§,|a=1,|a§=1,|a§='b',|a§=a,|'a§',|'a-b'=1,|a§=1<<§,|a§=~1,|a§=(1),|a=a,|a§=b.c," +
			"|a§=`x`,|a§=1+1,|a§=b(),|a§=-1,|a§=1|2|4,", "}"},
		{"namespace A{", "export let a;|export let a§=1;|export function f(){}|export class A§{}|export enum B{a}|" +
			"export namespace C{export let d}|export import a=b;|let a§;|a§;|export {a};|" +
			"export const {a§,b}=c;|export let [a§]=b;|export type T=a;|A.a;|", "}"},
		{"import {", "a,|a§,|a as b,|a as b§,|type a,|type a as b§,|'a b' as c§,|default as a§,", "} from 'x'"},
		{"import {", "a§,|type a§,|a as b§,", "} from 'x';a1;a2"},
		{"export {", "a,|a§,|a as b,|a as b§,|type a§,|a§ as 'b§',|a§ as default,", "}"},
		{"export {", "a,|a as b§,|default as a§,|'a' as 'b§',", "} from 'x'"},
		{"let a:", "A|&B|[]|['a']|.b|<C>|`a`| extends B ? C : |keyof |typeof a.|(a:b)=>|{a:b}&|[a,b]|import('a').b|" +
			"| 'a§'|& {a§:b}", ""},
		{"type T<", "a,|a§,|in a,|out a§,|const a§,|a§ extends b,|a§=b,|a§ extends b=c,", "z>=1"},
		{"function f<", "a,|a§,|const a§ extends b=c,", "z>(){}"},
		{"f<", "a,|a§,|a[],|{a:b},|(a)=>b,|'a',|`a`,|typeof a,", "z>()"},
		{"function f(", "a,|a§,|a=1,|a§:T,|a§?:T,|{a§},|[a§],|...a,|this,|@d a§,|public a,|{a:{b:[c§]}}={},", "z){}"},
		{"(", "a,|a§,|a=1,|a§:T,|a§?:T,|{a§},|[a§],|a§:b=c,", "z)=>1"},
		{"let ", "a,|a§,|a=1,|a§=1,|a§:T,|{a}=b,|{a§:[b§]}=c,|[,a§]=b,", "z"},
		{"var ", "a,|a§,|a§=b,|{a§}=b,", "z"},
		{"switch(a){", "case 1:|case §:|case 'a§':|case b:let a§;|case b:break;|default:|case a:{}|" +
			"case a:function f§(){}|case a:class B§{}|", "}"},
		{"switch(a){case 0:", "let a§;|let a;|var a;|a;|function f(){}|", "}"},
		{"function f(){", "var a;|var a§;|let a§;|let a;|function f(){}|function f§(){}|a§;|return;|return a§;|" +
			"'use strict';|'d§';|if(a)return;|a=arguments;|{let a}|{var a§}|{function g§(){}}|" +
			"try{}catch(a){}|label§:;|for(var a;;);|eval('');|import('a§');|await a;|class A§{}|enum E§{a}|" +
			"enum E{a§}|namespace N§{export let a}|namespace N{export let a§}|", "}"},
		{"{", "var a;|let a;|function f(){}|function f§(){}|class A{}|a§;|{|", "}"},
		{"'", "a|\\n|\\x41|\\u0041|\\u{41}|é|😀|\\\n|\\0|\\'|\u2028|\\ud800|<|</script>|\\u{10ffff}", "'"},
		{"x='", "a|\\n|\\u0041|😀|\\ud800|\\0", "';y=`z`"},
		{"`", "a|\\n|\\x41|\\u{41}|é|😀|\n|\r\n|${a}|${1}|${'a'}|${`b`}|$|\\`|${a§}|\\u{10ffff}|${{}}|${a}b|\\\n", "`"},
		{"x`", "a|\\n|\\u|😀|\n|${a}|\\xg", "`"},
		{"/", "a|[a]|(a)|\\/|\\u{1}|(?<n>a)|(?<n§>a)|a*|[^]|\\d|a{1,2}|(?=a)|(?<=a)|é|😀|.|a|[|", "/"},
		{"/a/", "g|dgimsuy|v|a", ""},
		{"", "0|1|_1|9", ""}, {"0x", "f|_f", ""}, {"1.", "1|_1", ""}, {"1e", "1", ""}, {"", "9", "n"},
		{"0b", "1", "n"}, {"0", "7|8", ""}, {"x=", "1", ";"}, {"x=1.", "0", "1"},
		{"", "a|é|\\u0061|\\u{61}|𝒳|$|_", "=1"}, {"a.", "b|\\u0061|é", ""}, {"class A{#", "b|é", "}"},
	}
	// nested constructs can be nested in themselves.
	nested = [][3]string{
		{"(", "1", ")"}, {"[", "1", "]"}, {"{", "", "}"}, {"({a:", "1", "})"}, {"`${", "1", "}`"}, {"f(", "1", ")"},
		{"()=>{", "", "}"}, {"function f(){", "", "}"}, {"class A{a(){", "", "}}"}, {"namespace N§{", "", "}"},
		{"namespace N{export ", "let a", "}"}, {"if(a){", "", "}"}, {"for(;;){", "", "}"},
		{"for(let a of b){let a;", "", "}"}, {"{let a;", "", "}"}, {"{var a;", "", "}"},
		{"function f(a){var a;", "a", "}"}, {"{function f(){}", "", "}"}, {"try{", "", "}catch(e){}"},
		{"l§:{", "", "}"}, {"switch(a){case 1:", "", "}"}, {"x=<T>(", "1", ")"}, {"class A{static{", "", "}}"},
		{"@(class{", "", "}) class B{}"}, {"(a,b=>", "1", ")"}, {"async(a=", "1", ")=>b"}, {"enum E§{a=", "1", "}"},
	}
)

// numbered returns a function that replaces § in a part by a number.
func numbered(part string) func(int) string {
	if !strings.Contains(part, "§") {
		return func(int) string { return part }
	}
	return func(i int) string { return strings.ReplaceAll(part, "§", strconv.Itoa(i)) }
}

// corpus returns programs that repeat every part in every place where it fits.
func corpus() []program {
	var all []program
	seen := map[string]bool{}
	add := func(name, head, part, ending string) {
		name = fmt.Sprintf("%s: %q %q %q", name, head, part, ending)
		if !seen[name] {
			seen[name] = true
			all = append(all, program{name: name, head: head, part: numbered(part), ending: ending})
		}
	}
	for _, s := range statements {
		add("statements", "", s, "")
		add("statements", "", s+"\n", "")
		for _, in := range bodies {
			add("statements", in[0], s, in[1])
		}
	}
	for _, o := range operands {
		for _, operator := range operators {
			add("operands", "x=", o+operator, "1")
			add("operands", "", o+operator, "1")
		}
		for _, l := range lists {
			add("list", l[0], o+l[1], "1"+l[2])
		}
		add("operands", "", o+"=", "1")
		add("operands", "let x:", o+"|", "1")
	}
	for _, m := range members {
		for part := range strings.SplitSeq(m[1], "|") {
			if part == "" {
				continue
			}
			add("members", m[0], part, m[2])
			add("members", m[0], part+"\n", m[2])
		}
	}
	for _, c := range comments {
		for _, in := range spaces {
			add("comments", in[0], c, in[1])
			add("comments", in[0], c+"\n", in[1])
		}
		for _, s := range commented {
			add("comments", "", c+s, "")
			add("comments", "", s+c, "")
			add("comments", "{", c+s, "}")
		}
		for _, l := range lists {
			add("comments", l[0], c+"a"+l[1], "1"+l[2])
		}
		for _, m := range members[:4] {
			for _, part := range []string{"a§;", "a§,", "a§:1,", "a§(){}"} {
				add("comments", m[0], c+part, m[2])
			}
		}
	}
	for _, n := range nested {
		name := fmt.Sprintf("nested: %q", n)
		all = append(all, program{name: name, part: numbered(n[0]), core: n[1], after: n[2]})
	}
	return all
}
