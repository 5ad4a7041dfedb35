package fakemodel

import "encoding/json"

// chat is OpenAI Chat Completions.
var chat = wire{path: "/chat/completions", read: readChat, whole: chatWhole, stream: chatStream}

func readChat(it item) (message, bool) {
	return message{role: it.Role, text: textOf(it.Content)}, it.Role != ""
}

func chatWhole(a answer) any {
	m := object{"role": "assistant", "content": a.text}
	if a.call != nil {
		m["content"], m["tool_calls"] = nil, chatCalls(a.call)
	}
	choice := object{"index": 0, "message": m, "finish_reason": chatFinish(a)}
	return chatObject(a, "chat.completion", object{"choices": []any{choice}, "usage": chatUsage()})
}

func chatStream(a answer) []event {
	var events []event
	add := func(delta object, finish any) {
		choice := object{"index": 0, "delta": delta, "finish_reason": finish}
		events = append(events, event{data: chatObject(a, "chat.completion.chunk", object{"choices": []any{choice}})})
	}
	if a.call != nil {
		add(object{"role": "assistant", "tool_calls": chatCalls(a.call)}, nil)
	}
	for _, text := range a.chunks() {
		add(object{"role": "assistant", "content": text}, nil)
	}
	add(object{}, chatFinish(a))
	usage := chatObject(a, "chat.completion.chunk", object{"choices": []any{}, "usage": chatUsage()})
	return append(events, event{data: usage}, event{data: json.RawMessage("[DONE]")})
}

func chatObject(a answer, kind string, fields object) object {
	fields["id"], fields["object"] = "chatcmpl_1", kind
	fields["created"], fields["model"] = created, a.model
	return fields
}

func chatCalls(c *call) []any {
	return []any{object{
		"index": 0, "id": c.id, "type": "function",
		"function": object{"name": c.name, "arguments": c.arguments},
	}}
}

func chatFinish(a answer) string {
	if a.call != nil {
		return "tool_calls"
	}
	return "stop"
}

func chatUsage() object {
	return object{"prompt_tokens": inputTokens, "completion_tokens": outputTokens, "total_tokens": inputTokens + outputTokens}
}
