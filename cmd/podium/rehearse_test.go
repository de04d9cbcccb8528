package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const rehearseScript = `
[server]
models = ["guide-1"]
key = "*"
[[actor]]
name = "guide"
model = "guide-2"
[[reply]]
text = 'Hello from {{var "town"}}.'
`

// TestRehearse_ServesUntilInterrupted runs the command as main does, with the
// context that Ctrl-C ends.
func TestRehearse_ServesUntilInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.toml")
	if err := os.WriteFile(path, []byte(rehearseScript), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, outWriter := io.Pipe()
	var notices strings.Builder
	code := make(chan int)
	go func() {
		a := &app{in: strings.NewReader(""), out: outWriter, err: &notices, environ: os.Environ()}
		code <- a.run(ctx, []string{"rehearse", path, "--set", "town=Bergen"})
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url = strings.TrimSpace(url)
	res := ask(t, url+"/v1/chat/completions", `{"model":"guide-2","messages":[{"role":"user","content":"hi"}]}`)
	if !strings.Contains(res, "Hello from Bergen.") {
		t.Errorf("the answer is %s", res)
	}
	interrupt()
	if got := <-code; got != exitOK {
		t.Errorf("exit code %d, want 0", got)
	}
	for _, want := range []string{
		"--provider anthropic   --base-url " + url + " --model guide-1",
		"--provider openai      --base-url " + url + "/v1 --model guide-1",
		"--provider openai-chat --base-url " + url + "/v1 --model guide-1",
		"--model guide-2 meets the actor guide",
		"The script asks for a key",
		`msg=request n=1 wire=openai-chat model=guide-2 actor=guide reply="reply 1" turn=1 status=200`,
	} {
		if !strings.Contains(notices.String(), want) {
			t.Errorf("stderr lacks %q:\n%s", want, notices.String())
		}
	}
	if strings.Contains(notices.String(), "a-secret") {
		t.Errorf("stderr holds the key:\n%s", notices.String())
	}
}

func ask(t *testing.T, url, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer a-secret")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(res.StatusCode, " ", string(b))
}
