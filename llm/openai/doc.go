// Package openai speaks two wires through the vendor's SDK: Responses
// (NewResponses), and Chat Completions (NewChat) for the vendor and for every
// server that resembles it, with presets for Ollama and Gemini.
//
// What it decides beyond the wires:
//   - the SDK's retries are off: one Stream is one request;
//   - nothing is stored at the vendor; reasoning items come back to it
//     encrypted;
//   - blocks that arrive mixed are put in order: one streams on while the
//     others wait (see blocks);
//   - servers that only resemble the vendor get the older and smaller set of
//     parameters, and much is forgiven in what they answer: calls without ids,
//     no [DONE], no usage, reasoning in fields of their own.
package openai
