package client_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"podium.local/client"
)

// FuzzConn_AnyBytesFromThePod: whatever a pod sends before it closes, Dial
// fails with one of its errors or the stream comes to an end.
func FuzzConn_AnyBytesFromThePod(f *testing.F) {
	for _, text := range []string{
		"", "\n", "garbage\n", `{"event":"text_delta","data":{"text":"x"}}` + "\n",
		`{"event":"error","data":{"code":"internal","message":"invalid method: x"}}` + "\n" + `{"event":"shutdown"}`,
		`{"event":"hello","data":{"protocol_version":1,"server":"s","pod_id":"0192f0e8-4d84-7d6e-a000-000000000001","pod_name":"a",` +
			`"session_id":"0192f0e8-4d84-7d6e-a000-000000000001","state":"idle","seq":5,"resumed":false,"features":[]}}` + "\n" +
			`{"event":"text_done","data":{"text":"x"},"seq":6}` + "\n" + `{"event":"brand_new"}` + "\n{",
	} {
		f.Add([]byte(text))
	}
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = listener.Close() })
	f.Fuzz(func(t *testing.T, sent []byte) {
		served := make(chan struct{})
		go func() {
			defer close(served)
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write(sent)
			_ = conn.Close()
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c, err := client.Dial(ctx, path, client.Options{})
		<-served
		if err != nil {
			var refused *client.PodError
			if !errors.Is(err, client.ErrLost) && !errors.Is(err, client.ErrNotAPod) && !errors.As(err, &refused) {
				t.Fatalf("Dial failed with %v", err)
			}
			return
		}
		defer c.Close()
		for {
			_, err := c.Recv(ctx)
			var bad *client.BadLineError
			if err != nil && !errors.As(err, &bad) {
				if ctx.Err() != nil {
					t.Fatal("the stream does not end")
				}
				return
			}
		}
	})
}
