// Package tui is the terminal client: a screen on which a person watches a
// pod work and talks to it, and a picker of pods.
//
// Model is the state of the screen. Update changes it and View draws it,
// neither does input or output: what has to be done outside is a command that
// comes back as a message. The screen shows what the pod confirmed and nothing
// else; an input that is on its way stands beside the input line.
//
// A conversation may be of any length. The newest part is held as blocks, and
// what is far from the window is forgotten and asked for again when somebody
// scrolls there. Foreign text (the model's words, tool output, names) is
// stripped of everything that could command the terminal.
package tui
