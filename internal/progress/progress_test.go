package progress_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/progress"
)

// readFunc reads by calling itself.
type readFunc func(b []byte) (int, error)

func (f readFunc) Read(b []byte) (int, error) { return f(b) }

func TestReader(t *testing.T) {
	odd, errImpossible := errors.New("odd"), errors.New("impossible count")
	slow := func() readFunc { // a byte now and then
		calls, text := 0, strings.NewReader("abc")
		return func(b []byte) (int, error) {
			if calls++; calls%100 != 0 {
				return 0, nil
			}
			return text.Read(b[:1])
		}
	}
	for name, test := range map[string]struct {
		from io.Reader
		want string
		err  error
	}{
		"a text":              {strings.NewReader("abc"), "abc", nil},
		"a text, bytewise":    {iotest.OneByteReader(strings.NewReader("abc")), "abc", nil},
		"what is slow":        {slow(), "abc", nil},
		"what fails":          {iotest.ErrReader(odd), "", odd},
		"what gives nothing":  {readFunc(func([]byte) (int, error) { return 0, nil }), "", io.ErrNoProgress},
		"what gives too much": {readFunc(func(b []byte) (int, error) { return len(b) + 1, nil }), "", errImpossible},
		"what gives less":     {readFunc(func([]byte) (int, error) { return -1, nil }), "", errImpossible},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := io.ReadAll(progress.Reader(test.from))
			require.Equal(t, test.want, string(got))
			if test.err == errImpossible {
				require.ErrorContains(t, err, errImpossible.Error())
			} else {
				require.ErrorIs(t, err, test.err)
			}
		})
	}
}
