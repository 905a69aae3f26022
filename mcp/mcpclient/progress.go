package mcpclient

import (
	"encoding/json"
	"strconv"
	"sync"
)

// progressCalls holds the calls in flight, by the tokens with which the server reports their progress.
type progressCalls struct {
	mu    sync.Mutex
	last  uint64
	calls map[string]chan progress
}

// progress is a progress report.
type progress struct {
	Progress float64 `json:"progress"`
	Total    float64 `json:"total"`
	Message  string  `json:"message"`
}

// begin returns a token, and a channel for the newest progress: a slow reader misses earlier reports.
func (p *progressCalls) begin() (token string, reports <-chan progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	token = strconv.FormatUint(p.last, 10)
	if p.calls == nil {
		p.calls = map[string]chan progress{}
	}
	c := make(chan progress, 1)
	p.calls[token] = c
	return token, c
}

func (p *progressCalls) end(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.calls, token)
}

// progress handles a notification of progress.
func (p *progressCalls) progress(params json.RawMessage) {
	var report struct {
		Token json.RawMessage `json:"progressToken"`
		progress
	}
	if json.Unmarshal(params, &report) != nil {
		return
	}
	var token string
	_ = json.Unmarshal(report.Token, &token) // our tokens are strings
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.calls[token]
	if c == nil {
		return
	}
	select {
	case <-c:
	default:
	}
	c <- report.progress // there is room: this is the only sender
}
