package javascript_test

import (
	"strings"
	"testing"
)

func TestURL(t *testing.T) {
	scriptTests{
		"has parts": {
			`const u = new URL('http://u:p@h:81/a/b?c=d#e'); return [u.href, u.origin, u.protocol,
				u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash].join(' ')`,
			"http://u:p@h:81/a/b?c=d#e http://h:81 http: u p h:81 h 81 /a/b ?c=d #e",
		},
		"is relative to another": {
			`return new URL('../x', 'http://a/b/c/d') + ' ' + new URL('//x', new URL('https://a'))`,
			"http://a/b/x https://x/",
		},
		"sets parts": {
			`const u = new URL('http://a/b'); u.protocol = 'https'; u.username = 'ü'; u.password = 'p';
				u.host = 'x:1'; u.port = 82; u.pathname = 'q r'; u.search = 'a=b'; u.hash = 'h'; return u.href`,
			"https://%C3%BC:p@x:82/q%20r?a=b#h",
		},
		"ignores bad values": {
			`const u = new URL('http://a:1/'); u.port = 'x'; u.host = 'a b';
				u.protocol = 'mailto'; u.hostname = ''; return u.href`,
			"http://a:1/",
		},
		"takes a new href": {
			`const u = new URL('http://a?x=1'); const p = u.searchParams; u.href = 'http://b?y=2';
				return [u.host, p.get('y'), p.has('x'), thrown(() => { u.href = 'nonsense' }), u.href].join()`,
			"b,2,false,TypeError ERR_INVALID_URL,http://b/?y=2",
		},
		"refuses what is none": {
			`return ['', 'x', 'http://', 'http://a b'].map((u) => thrown(() => new URL(u))).join() +
				thrown(() => new URL()) + thrown(() => new URL('x', 'y'))`,
			"TypeError ERR_INVALID_URL,TypeError ERR_INVALID_URL,TypeError ERR_INVALID_URL,TypeError " +
				"ERR_INVALID_URLTypeError ERR_MISSING_ARGSTypeError ERR_INVALID_URL",
		},
		"can be tried": {
			`return [URL.canParse('x'), URL.canParse('x', 'http://a'),
				URL.parse('x'), URL.parse('x', 'http://a').href, URL.parse('http://a') instanceof URL].join()`,
			"false,true,,http://a/x,true",
		},
		"is JSON":             {`return JSON.stringify({u: new URL('http://a')})`, `{"u":"http://a/"}`},
		"replaces surrogates": {`return new URL('http://a/\ud800').pathname`, "/%EF%BF%BD"},
		"has enumerable parts": {
			`const names = []; for (const n in new URL('http://a')) names.push(n); return names.sort().join()`,
			"hash,host,hostname,href,origin,password,pathname," +
				"port,protocol,search,searchParams,toJSON,toString,username",
		},
		"has one searchParams": {`const u = new URL('http://a'); return u.searchParams === u.searchParams`, "true"},
		"needs its class": {
			`return thrown(() => Object.getOwnPropertyDescriptor(URL.prototype, 'host').get.call({})) +
				thrown(() => URL.prototype.toString.call(new Proxy(new URL('http://a'), {})))`,
			"TypeError ERR_INVALID_THISTypeError ERR_INVALID_THIS",
		},
		"must not be too long": {
			`return thrown(() => new URL('http://a/' + 'x'.repeat(1e5))) +
				thrown(() => new URL('http://a?' + 'x'.repeat(2e6))) + new URL('data:,' + 'x'.repeat(1e5)).href.length`,
			"RangeErrorRangeError100006",
		},
	}.run(t)
}

func TestURLSearchParams(t *testing.T) {
	t.Parallel()
	scriptTests{
		"of text": {`return [...new URLSearchParams('?a=1&b=%20+&a=2')].join('|')`, "a,1|b,  |a,2"},
		"of pairs": {`return new URLSearchParams([['a', 1], new Set(['b', 'c'])]).toString()`,
			"a=1&b=c"},
		"of a record": {`return new URLSearchParams({a: 1, b: 'ü'}).toString()`, "a=1&b=%C3%BC"},
		"of a map":    {`return new URLSearchParams(new Map([['a', 'b']])).toString()`, "a=b"},
		"of others": {
			`return new URLSearchParams(new URLSearchParams('a=b')).toString() +
				new URLSearchParams(12) + new URLSearchParams(null)`,
			"a=b12=null=",
		},
		"of surrogates": {`return new URLSearchParams({'\ud800': 1, '\udc00': 2}).toString()`,
			"%EF%BF%BD=2"},
		"of bad pairs": {
			`return [[['a']], [['a', 'b', 'c']], [1], ['ab'],
				{[Symbol.iterator]: 1}].map((v) => thrown(() => new URLSearchParams(v))).join()`,
			"TypeError ERR_INVALID_TUPLE,TypeError ERR_INVALID_TUPLE,TypeError " +
				"ERR_INVALID_TUPLE,TypeError ERR_INVALID_TUPLE,TypeError ERR_ARG_NOT_ITERABLE",
		},
		"of symbols": {
			`return thrown(() => new URLSearchParams({[Symbol()]: 1})) +
				thrown(() => new URLSearchParams().append('a', Symbol()))`,
			"TypeErrorTypeError",
		},
		"are asked": {
			`const p = new URLSearchParams('a=1&b=2&a=3'); return [p.get('a'),
				p.get('x'), p.getAll('a'), p.has('b'), p.has('a', '3'), p.has('a', '4'), p.size].join()`,
			"1,,1,3,true,true,false,3",
		},
		"are changed": {
			`const p = new URLSearchParams('a=1&b=2&a=3&c=4'); p.set('a', 9);
				p.append('d', ''); p.delete('c'); p.delete('b', 'x'); p.set('e', 'f'); return p.toString()`,
			"a=9&b=2&d=&e=f",
		},
		"delete a value": {
			`const p = new URLSearchParams('a=1&a=2&a=1'); p.delete('a', '1'); return p.toString()`, "a=2",
		},
		"are sorted": {
			`const p = new URLSearchParams('z=1&\uff5e=2&😀=3&a=4&z=0');
				p.sort(); return [...p.keys()].join('') + p.get('z')`,
			"azz😀～1",
		},
		"are listed": {
			`const p = new URLSearchParams('a=1&b=2'); const seen = [];
				p.forEach(function (v, n, o) { seen.push(this.x + v + n + (o === p)) }, {x: 'x'});
				return [seen, [...p.entries()], [...p.values()], [...p.keys()]].join('|')`,
			"x1atrue,x2btrue|a,1,b,2|1,2|a,b",
		},
		"are listed while changed": {
			`const p = new URLSearchParams('a=1&b=2&c=3'); const seen = [];
				for (const [n] of p) { seen.push(n); p.delete('b') } return seen.join()`,
			"a,c",
		},
		"change a URL": {
			`const u = new URL('http://a?x=1#h'); u.searchParams.append('y', 'a b');
				const one = u.href; u.searchParams.delete('x'); u.searchParams.delete('y'); return one + ' ' + u.href`,
			"http://a/?x=1&y=a+b#h http://a/#h",
		},
		"follow a URL": {
			`const u = new URL('http://a?x=1'); const p = u.searchParams;
				u.search = '?y=%20'; const y = p.get('y'); u.search = ''; return y + p.size`,
			" 0",
		},
		"need arguments": {
			`const p = new URLSearchParams(); return ['append', 'delete',
				'get', 'getAll', 'has', 'set', 'forEach'].map((m) => thrown(() => p[m]())).join()`,
			strings.Repeat("TypeError ERR_MISSING_ARGS,", 6) + "TypeError ERR_INVALID_ARG_TYPE",
		},
		"have iterators": {
			`const i = new URLSearchParams('a=1').keys(); return [Object.prototype.toString.call(i),
				i[Symbol.iterator]() === i, JSON.stringify(i.next()), i.next().done,
				URLSearchParams.prototype[Symbol.iterator] === URLSearchParams.prototype.entries].join()`,
			`[object URLSearchParams Iterator],true,{"value":"a","done":false},true,true`,
		},
		"may be many": {
			`const p = new URLSearchParams(); for (let i = 0; i < 20000; i++) p.append(i, i);
				return new URLSearchParams(p.toString()).size`,
			"20000",
		},
		"must not be too many": {`return thrown(() => new URLSearchParams('a&'.repeat(1e6)))`, "RangeError"},
	}.run(t)
}
