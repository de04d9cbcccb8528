package studio_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"podium.local/studio"
)

// dial opens a connection to a daemon that fails a test rather than hangs it.
func dial(t testing.TB, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestServer_AStalledBodyGetsItsAnswerAndAnEnd(t *testing.T) {
	base := serve(t, newServer(t, &fakeStore{}, func(c *studio.Config) { c.BodyTimeout = 20 * time.Millisecond }))
	tests := []struct {
		name, head string
		status     int
	}{
		{"a code that never comes", "POST /api/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n", 400},
		{"half a body", "POST /api/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{\"code\":", 400},
		{"half a chunk", "POST /api/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{", 400},
		{"a foreign host", "POST /api/token HTTP/1.1\r\nHost: elsewhere\r\nContent-Length: 5000\r\n\r\n", 400},
		{"no JSON", "POST /api/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n", 415},
		{"no bearer", "DELETE /api/sessions/s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n", 401},
		{"a read", "GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n", 200},
		{"nothing there", "GET /api/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n", 404},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := dial(t, base)
			if _, err := io.WriteString(c, tt.head); err != nil {
				t.Fatal(err)
			}
			in := bufio.NewReader(c)
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Error(err)
			}
			if resp.StatusCode != tt.status || !resp.Close {
				t.Errorf("%d, closing %t", resp.StatusCode, resp.Close)
			}
			if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
				t.Errorf("the connection stays: %v", err)
			}
		})
	}
}

func TestServer_AConnectionOutlivesWholeBodies(t *testing.T) {
	base := serve(t, newServer(t, &fakeStore{}, nil))
	c := dial(t, base)
	in := bufio.NewReader(c)
	for range 3 {
		if _, err := io.WriteString(c, "POST /api/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"code\":\"x\"}"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Error(err)
		}
		if resp.StatusCode != http.StatusUnauthorized || resp.Close {
			t.Fatalf("%d, closing %t", resp.StatusCode, resp.Close)
		}
	}
}

func TestServer_OPTIONSOfEverythingPassesTheBoundaryToo(t *testing.T) {
	base := serve(t, newServer(t, &fakeStore{}, nil))
	for _, tt := range []struct{ host, want string }{{"elsewhere", "Invalid Host header"}, {"localhost", ""}} {
		c := dial(t, base)
		if _, err := io.WriteString(c, "OPTIONS * HTTP/1.1\r\nHost: "+tt.host+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(body), tt.want) {
			t.Errorf("%s: %q, %v", tt.host, body, err)
		}
		if resp.StatusCode != http.StatusBadRequest || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %d, %v", tt.host, resp.StatusCode, resp.Header)
		}
	}
}
