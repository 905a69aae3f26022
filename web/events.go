package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	heartbeat = 15 * time.Second // so that who is gone is found out
)

// events is a stream of events to one browser.
type events struct {
	server *Server
	r      *request
	woke   time.Time // when wait returned last
}

// newEvents begins a stream.
//
// https://html.spec.whatwg.org/multipage/server-sent-events.html
func (s *Server) newEvents(r *request) (*events, error) {
	r.place.Drop() // a stream takes little while it lasts
	r.w.Header().Set("Content-Type", "text/event-stream")
	r.w.Header().Set("X-Accel-Buffering", "no")
	r.w.WriteHeader(http.StatusOK)
	e := &events{server: s, r: r}
	return e, e.write(": toolrun\n\n")
}

func (e *events) Send(name, id string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	return e.write(fmt.Sprintf("event: %s\n%sdata: %s\n\n", name, id, text))
}

func (e *events) write(text string) error {
	control := http.NewResponseController(e.r.w)
	_ = control.SetWriteDeadline(time.Now().Add(partTime))
	if _, err := e.r.w.Write([]byte(text)); err != nil {
		return err
	}
	return control.Flush()
}

// Wait implements [service.Follower].
func (e *events) Wait(pause time.Duration, news, more <-chan struct{}) bool {
	beat := time.NewTimer(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-news:
		case <-more:
		case <-e.r.Context().Done():
			return false
		case <-e.server.desk.Ended():
			return false
		case <-beat.C:
			if !e.welcome() || e.write(": still here\n\n") != nil {
				return false
			}
			beat.Reset(heartbeat)
			continue
		}
		select {
		case <-time.After(time.Until(e.woke.Add(pause))):
			e.woke = time.Now()
			return e.welcome()
		case <-e.r.Context().Done():
			return false
		case <-e.server.desk.Ended():
			return false
		}
	}
}

// welcome reports whether the one who follows may still do what they could when the stream began: a token can be gone
// meanwhile, or be for something else.
func (e *events) welcome() bool {
	who := e.server.identify(e.r.Request)
	if who == nil {
		return e.server.options.Everybody && e.r.access == e.server.owner
	}
	return who.access.Same(e.r.access)
}
