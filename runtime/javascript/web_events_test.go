package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
)

func TestEvents(t *testing.T) {
	const target = `const t = new EventTarget(); const seen = []; const see = (x) => (e) => seen.push(x + e.type);`
	scriptTests{
		"reach listeners in order": {target +
			`t.addEventListener('e', see(1)); t.addEventListener('e', see(2));
				t.addEventListener('f', see(3)); return [t.dispatchEvent(new Event('e')), seen].join()`,
			"true,1e,2e"},
		"reach capturing ones first": {target +
			`t.addEventListener('e', see(1)); t.addEventListener('e', see(2), true);
				t.addEventListener('e', see(3), {capture: true}); t.dispatchEvent(new Event('e')); return seen.join()`,
			"2e,3e,1e"},
		"reach a listener once": {target +
			`const f = see(1); t.addEventListener('e', f); t.addEventListener('e', f);
				t.addEventListener('e', f, {capture: false, once: true});
				t.dispatchEvent(new Event('e')); t.dispatchEvent(new Event('e')); return seen.join()`,
			"1e,1e"},
		"reach listeners for once": {target +
			`t.addEventListener('e', see(1), {once: true}); t.dispatchEvent(new Event('e'));
				t.dispatchEvent(new Event('e')); return seen.join()`,
			"1e"},
		"do not reach removed ones": {target +
			`const f = see(1), g = see(2); t.addEventListener('e', f);
				t.addEventListener('e', () => t.removeEventListener('e', g)); t.addEventListener('e', g);
				t.removeEventListener('e', f, true); t.dispatchEvent(new Event('e')); return seen.join()`,
			"1e"},
		"do not reach later ones": {target +
			`t.addEventListener('e', () => t.addEventListener('e', see(1))); t.dispatchEvent(new Event('e'));
				const before = seen.length; t.dispatchEvent(new Event('e')); return [before, seen].join()`,
			"0,1e"},
		"reach objects": {target +
			`const o = {handleEvent(e) { seen.push(this === o, e.target === t) }}; t.addEventListener('e', o);
				t.addEventListener('e', null); t.dispatchEvent(new Event('e')); return seen.join()`,
			"true,true"},
		"can be stopped": {target +
			`t.addEventListener('e', (e) => e.stopImmediatePropagation());
				t.addEventListener('e', see(1)); t.addEventListener('f', (e) => e.stopPropagation(), true);
				t.addEventListener('f', see(2), true); t.addEventListener('f', see(3));
				t.dispatchEvent(new Event('e')); t.dispatchEvent(new Event('f')); return seen.join()`,
			"2f"},
		"can be canceled": {target +
			`t.addEventListener('e', (e) => e.preventDefault()); const e = new Event('e', {cancelable: true});
				return [t.dispatchEvent(e), e.defaultPrevented, e.returnValue, t.dispatchEvent(new Event('e'))].join()`,
			"false,true,false,true"},
		"cannot be canceled passively": {target +
			`t.addEventListener('e', (e) => e.preventDefault(), {passive: true});
				return t.dispatchEvent(new Event('e', {cancelable: true}))`,
			"true"},
		"have properties": {target +
			`let during; t.addEventListener('e', (e) => {
				during = [e.target === t, e.currentTarget === t, e.eventPhase, e.composedPath().length] });
				const e = new Event('e', {bubbles: true}); t.dispatchEvent(e);
				return [during, e.target === t, e.currentTarget, e.eventPhase, e.bubbles, e.cancelable,
				e.composed, e.isTrusted, e.composedPath().length, e.timeStamp > 0, Event.AT_TARGET].join()`,
			"true,true,2,1,true,,0,true,false,false,false,0,true,2"},
		"are not sent while sent": {target +
			`let x; const e = new Event('e'); t.addEventListener('e', () => { x = thrown(() => t.dispatchEvent(e)) });
				t.dispatchEvent(e); return x`,
			"InvalidStateError 11"},
		"need arguments": {target +
			`return [() => new Event(), () => t.dispatchEvent({type: 'e'}), () => t.addEventListener('e', 5),
				() => t.addEventListener('e', () => {}, {signal: {}})].map(thrown).join()`,
			"TypeError,TypeError,TypeError,TypeError"},
		"end with a signal": {target +
			`const c = new AbortController(); t.addEventListener('e', see(1), {signal: c.signal});
				t.dispatchEvent(new Event('e')); c.abort(); t.dispatchEvent(new Event('e'));
				t.addEventListener('e', see(2), {signal: c.signal}); t.dispatchEvent(new Event('e'));
				return seen.join()`,
			"1e"},
		"may be sent within another": {target +
			`t.addEventListener('e', () => t.dispatchEvent(new Event('f'))); t.addEventListener('f', see(1));
				t.addEventListener('e', see(2)); t.dispatchEvent(new Event('e')); return seen.join()`,
			"1f,2e"},
		"may be sent again": {target +
			`t.addEventListener('e', (e) => { seen.push(1); e.stopImmediatePropagation() });
				const e = new Event('e'); t.dispatchEvent(e); t.dispatchEvent(e); return seen.join()`,
			"1,1"},
		"have no listeners of Object's": {
			`Object.prototype.signal = 1; Object.prototype.once = true;
				const t = new EventTarget(); let n = 0; t.addEventListener('e', () => n++);
				t.dispatchEvent(new Event('e')); t.dispatchEvent(new Event('e')); return n`,
			"2",
		},
	}.run(t)
	t.Run("without end are an exception that ends the run", func(t *testing.T) {
		result, err := tryRun(t,
			`const t = new EventTarget(); t.addEventListener('e', () => t.dispatchEvent(new Event('e')));
				t.dispatchEvent(new Event('e')); console.log('fine')`)
		require.ErrorContains(t, err, "Uncaught RangeError: Maximum call stack size exceeded")
		require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelLog, Text: "fine"}}, result.Console)
	})
	t.Run("an error of a listener ends the run when the next ones have been called", func(t *testing.T) {
		for listener, want := range map[string]string{
			`() => { throw 'oops' }`: "Uncaught oops",
			`{}`: "Uncaught TypeError: the event listener has no method handleEvent\n    at " +
				"<anonymous> (script.js:1:143)",
		} {
			result, err := tryRun(t, `const t = new EventTarget(); t.addEventListener('e', `+listener+
				`); t.addEventListener('e', () => console.log('next')); console.log(t.dispatchEvent(new Event('e')))`)
			require.EqualError(t, err, want)
			require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelLog, Text: "next"}, {Level: sandbox.LevelLog,
				Text: "true"}}, result.Console)
		}
	})
}

func TestAbort(t *testing.T) {
	const controller = `const c = new AbortController(); const s = c.signal; const seen = [];`
	scriptTests{
		"tells the signal": {controller +
			`s.onabort = (e) => seen.push(e.type, e.isTrusted, e.target === s);
				c.abort(); c.abort(); return [seen, s.aborted, s.reason.name, s.reason instanceof DOMException].join()`,
			"abort,true,true,true,AbortError,true"},
		"has a reason": {controller +
			`c.abort(5); c.abort(6); try { s.throwIfAborted() } catch (e) { return e }`, "5"},
		"does nothing before": {controller + `s.throwIfAborted(); return [s.aborted, s.reason].join()`,
			"false,"},
		"is static": {
			`return [AbortSignal.abort().reason.name, AbortSignal.abort(null).reason,
				AbortSignal.abort().aborted].join()`,
			"AbortError,,true",
		},
		"keeps the order": {controller +
			`s.addEventListener('abort', () => seen.push(1)); s.onabort = () => seen.push('old');
				s.addEventListener('abort', () => seen.push(3)); s.onabort = () => seen.push(2);
				c.abort(); return seen.join() + typeof s.onabort`,
			"1,2,3function"},
		"takes a handler away": {controller +
			`s.onabort = () => seen.push(1); s.onabort = null; const none = s.onabort;
				s.onabort = 5; c.abort(); return [none, s.onabort, seen.length].join()`,
			",,0"},
		"of any": {controller +
			`const d = new AbortController(); const any = AbortSignal.any([s, d.signal]);
				any.onabort = () => seen.push(any.reason); d.abort('d'); c.abort('c'); return seen.join()`, "d"},
		"of any that is aborted": {
			`return AbortSignal.any([new AbortController().signal, AbortSignal.abort(7)]).reason`, "7",
		},
		"of any of any": {controller +
			`const any = AbortSignal.any([AbortSignal.any([s]), AbortSignal.any([AbortSignal.any([s])])]);
				c.abort(1); return any.reason`, "1"},
		"of none": {`return AbortSignal.any([]).aborted`, "false"},
		"of any is told at once": {controller +
			`const any = AbortSignal.any([s]); s.onabort = () => seen.push(any.aborted); c.abort(); return seen.join()`,
			"true"},
		"takes signals only": {
			`return [() => AbortSignal.any([{}]), () => AbortSignal.any(5), () => new AbortSignal(),
				() => AbortSignal.timeout(-1), () => AbortSignal.timeout('x')].map(thrown).join()`,
			"TypeError ERR_INVALID_ARG_TYPE,TypeError ERR_INVALID_ARG_TYPE,TypeError,TypeError,TypeError",
		},
		"needs its class": {
			`return [() => AbortController.prototype.abort.call({}), () => Object.getOwnPropertyDescriptor(
				AbortSignal.prototype, 'aborted').get.call(new EventTarget())].map(thrown).join()`,
			"TypeError ERR_INVALID_THIS,TypeError ERR_INVALID_THIS",
		},
		"makes targets": {controller +
			`return [s instanceof EventTarget, s instanceof AbortSignal,
				Object.prototype.toString.call(s), Object.getPrototypeOf(AbortSignal) === EventTarget].join()`,
			"true,true,[object AbortSignal],true"},
		"cannot be taken over": {
			`Object.setPrototypeOf(AbortSignal, class { constructor() { throw 'taken' } });
				AbortSignal.prototype.constructor = null; const c = new AbortController();
				c.abort(1); return c.signal.reason`,
			"1",
		},
		"from within an abort": {controller +
			`const d = new AbortController(); s.onabort = () => { seen.push(1); c.abort(2); d.abort() };
				d.signal.onabort = () => seen.push(3); c.abort(1); return [seen, s.reason].join()`,
			"1,3,1"},
		"survives changed constructors": {
			`globalThis.DOMException = null; globalThis.EventTarget = null;
				const c = new AbortController(); c.abort(); return c.signal.reason.name`,
			"AbortError",
		},
	}.run(t)
}
