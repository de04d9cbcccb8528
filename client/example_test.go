package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"podium.local/client"
	"podium.local/protocol"
)

// One prompt to a pod, and its answer as it comes.
func ExampleDial() {
	ctx := context.Background()
	c, err := client.Dial(ctx, "/run/user/1000/podium/demo/sock", client.Options{Client: "example/1"})
	if err != nil {
		log.Fatal(err) // "pod demo is not running: no socket at …"
	}
	defer c.Close()
	if _, err := c.Call(ctx, protocol.Method{Params: protocol.Run{Input: "What is in the README?"}}); err != nil {
		log.Fatal(err) // "run: Pod is already executing a turn (already_running)"
	}
	for e, err := range c.Events(ctx) {
		if err != nil {
			log.Print(err)
			continue
		}
		switch d := e.Data.(type) {
		case protocol.TextDelta:
			fmt.Print(d.Text)
		case protocol.RunEnd:
			fmt.Println("\n—", d.Result)
			return
		}
	}
}

// A view that stays true over restarts of the pod.
func ExampleAttach() {
	ctx := context.Background()
	s, err := client.Attach(ctx, "/run/user/1000/podium/demo/sock", client.AttachOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for e, err := range s.Events(ctx) {
		var gone *client.Disconnected
		switch {
		case errors.As(err, &gone):
			fmt.Println("not connected, next attempt at", gone.Next)
			continue
		case err != nil:
			log.Print(err)
			continue
		}
		switch d := e.Data.(type) {
		case protocol.HelloEvent:
			fmt.Println("connected, nothing missed:", d.Resumed)
		case protocol.Snapshot:
			for _, raw := range d.Items { // replaces everything drawn before
				item, err := protocol.ParseItem(raw)
				fmt.Println(item.Data, err)
			}
		case protocol.UserInput:
			fmt.Println(d.Client, "said", d.Text)
		case protocol.TextDone:
			fmt.Println(d.Text)
		}
	}
}
