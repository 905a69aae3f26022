package observe

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// An auditLine is the record of a call.
type auditLine struct {
	Time         time.Time       `json:"time"`
	Seq          int64           `json:"seq"`
	Event        string          `json:"event"`
	Tool         string          `json:"tool,omitempty"`
	Project      string          `json:"project,omitempty"`
	Chat         string          `json:"chat,omitempty"`
	Client       string          `json:"client,omitempty"`
	Call         string          `json:"call,omitempty"`
	Parent       string          `json:"parent,omitempty"`
	DurationMs   *float64        `json:"durationMs,omitempty"`
	Outcome      string          `json:"outcome,omitempty"`
	Approval     *auditApproval  `json:"approval,omitempty"`
	Waits        string          `json:"waits,omitempty"`
	Repeats      string          `json:"repeats,omitempty"`
	InputBytes   int             `json:"inputBytes"`
	InputSha256  string          `json:"inputSha256"`
	Input        json.RawMessage `json:"input,omitempty"`
	InputBase64  []byte          `json:"inputBase64,omitempty"`
	OutputBytes  *int            `json:"outputBytes,omitempty"`
	OutputSha256 string          `json:"outputSha256,omitempty"`
	Output       json.RawMessage `json:"output,omitempty"`
	OutputError  string          `json:"outputError,omitempty"`
}

// An auditApproval is how a person has decided on a call or a request.
type auditApproval struct {
	Approved bool      `json:"approved"`
	By       string    `json:"by,omitempty"`
	Time     time.Time `json:"time"`
	Rule     string    `json:"rule,omitempty"`
	Edited   bool      `json:"edited,omitempty"`
}

func newAuditApproval(a tool.Approval) *auditApproval {
	return &auditApproval{a.Approved, plaintext.Clean(a.By, maxLabel), a.Time.UTC(), a.Rule, a.Edited}
}

func (l *auditLine) setApproval(result tool.Result) {
	if a := result.Approval; a != nil {
		l.Approval = newAuditApproval(*a)
	}
	if p := result.Pending; p != nil {
		l.Waits = p.Token
	}
	l.Repeats = label(result.Repeats)
}

func (l *auditLine) setInput(input []byte, whole bool) {
	l.InputBytes, l.InputSha256 = len(input), hash(input)
	switch {
	case !whole || len(input) == 0:
	case utf8.Valid(input) && json.Valid(input):
		l.Input = input
	default:
		l.InputBase64 = input
	}
}

func (l *auditLine) setOutput(call tool.Call, result tool.Result, returned, whole bool) {
	n := outputBytes(result)
	l.OutputBytes = &n
	if !returned {
		l.OutputError = cause(result)
		return
	}
	result.CallID, result.Tool = call.ID, call.Tool // as Dispatch will set them
	encoded, err := encodeResult(result)
	if err != nil {
		l.OutputError = plaintext.Clean(err.Error(), maxCause)
		return
	}
	l.OutputSha256 = hash(encoded)
	if whole {
		l.Output = encoded
	}
}

// encodeResult turns panics into errors, because the data can be of any type.
func encodeResult(result tool.Result) (encoded []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return result.MarshalJSON()
}

// encode returns the line with its end.
func (l *auditLine) encode() ([]byte, error) {
	encoded, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	return append(toASCII(encoded), '\n'), nil
}

// toASCII escapes everything outside ASCII in JSON. That can only be in strings.
func toASCII(encoded []byte) []byte {
	i := 0
	for i < len(encoded) && encoded[i] < 0x7f {
		i++
	}
	if i == len(encoded) {
		return encoded
	}
	ascii := append(make([]byte, 0, len(encoded)+len(encoded)/4), encoded[:i]...)
	for i < len(encoded) {
		c, size := utf8.DecodeRune(encoded[i:])
		switch {
		case c < 0x7f:
			ascii = append(ascii, byte(c))
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			ascii = fmt.Appendf(ascii, `\u%04x\u%04x`, high, low)
		default:
			ascii = fmt.Appendf(ascii, `\u%04x`, c)
		}
		i += size
	}
	return ascii
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
