// Package anthropic speaks the Messages API, version 2026-10-21, through the
// vendor's SDK.
//
// What it decides beyond the wire:
//   - the SDK's retries are off: one Stream is one request;
//   - prompt-cache marks stand on the last tool, the system prompt and the last
//     two user messages, four in all, so that the next request of the same
//     conversation reads what this one wrote;
//   - Usage.Input is the whole prompt: new, cache-read and cache-written tokens;
//   - thinking goes back only with its signature, and never as the last block
//     of a message, both of which the vendor refuses;
//   - a system message inside a conversation becomes marked text of the user's
//     side, which every model takes;
//   - a temperature, which this version no longer has, makes the request one of
//     version 2023-06-01; models without one say so.
package anthropic
