package fakemodel

import "encoding/json"

// messages is Anthropic Messages.
var messages = wire{path: "/messages", read: readMessages, whole: messagesWhole, stream: messagesStream}

// readMessages takes a user message with a tool's result for that result: an
// agent may put text, such as a reminder, beside it.
func readMessages(it item) (message, bool) {
	for _, p := range partsOf(it.Content) {
		if p.Type == "tool_result" {
			return message{role: roleTool, text: textOf(p.Content)}, true
		}
	}
	return message{role: it.Role, text: textOf(it.Content)}, true
}

func messagesWhole(a answer) any {
	m := messagesObject(a)
	m["stop_reason"], m["content"] = messagesStop(a), []any{messagesBlock(a)}
	m["usage"] = object{"input_tokens": inputTokens, "output_tokens": outputTokens}
	return m
}

func messagesStream(a answer) []event {
	events := []event{typed(object{"type": "message_start", "message": messagesObject(a)})}
	add := func(kind string, fields object) {
		fields["type"] = kind
		events = append(events, typed(fields))
	}
	if a.call != nil {
		start := object{"type": "tool_use", "id": a.call.id, "name": a.call.name, "input": object{}}
		add("content_block_start", object{"index": 0, "content_block": start})
		add("content_block_delta", object{"index": 0, "delta": object{"type": "input_json_delta", "partial_json": a.call.arguments}})
	} else {
		add("content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})
	}
	for _, text := range a.chunks() {
		add("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": text}})
	}
	add("content_block_stop", object{"index": 0})
	stop := object{"stop_reason": messagesStop(a), "stop_sequence": nil}
	add("message_delta", object{"delta": stop, "usage": object{"output_tokens": outputTokens}})
	add("message_stop", object{})
	return events
}

// messagesObject is a message as it begins: no content, one token said.
func messagesObject(a answer) object {
	usage := object{
		"input_tokens": inputTokens, "output_tokens": 1,
		"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0,
	}
	return object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": a.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}
}

func messagesBlock(a answer) object {
	if a.call == nil {
		return object{"type": "text", "text": a.text}
	}
	return object{"type": "tool_use", "id": a.call.id, "name": a.call.name, "input": json.RawMessage(a.call.arguments)}
}

func messagesStop(a answer) string {
	if a.call != nil {
		return "tool_use"
	}
	return "end_turn"
}
