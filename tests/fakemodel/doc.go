// Package fakemodel is a scripted model server on the loopback interface: what a
// real agent talks to in a test, with no network and no account.
//
// It serves the three wires that agents speak, streamed and whole: OpenAI Chat
// Completions (.../chat/completions), OpenAI Responses (.../responses) and
// Anthropic Messages (.../messages), under any prefix, beside a list of models
// (.../models). It answers from the request alone, so the same conversation gets
// the same answer whatever was asked before. The script is the last user text:
//
//	TOOL:<name>:<json>  calls that tool once, then says "tool said: <result>"
//	LONG:<n>            says n words
//	SLOW:<ms>           waits before every chunk after the first
//	ERR:<status>        answers that HTTP status
//	anything else       is said back, as "echo: <text>"
//
// A request that offers no tools is never answered with a call: agents ask for a
// title with the user's text and no tools, and the script is not meant for that.
//
// A client that goes away ends its handler at once, in the middle of a wait too,
// and Close returns when every goroutine of the server has ended. Every request
// is kept, with how it ended; Await blocks until the requests are as a test
// wants them. Bodies are bounded; the number of requests is not, so this is for
// tests only.
package fakemodel
