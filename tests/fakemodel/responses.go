package fakemodel

// responses is OpenAI Responses.
var responses = wire{path: "/responses", read: readResponses, whole: responsesWhole, stream: responsesStream}

func readResponses(it item) (message, bool) {
	switch it.Type {
	case "function_call_output", "custom_tool_call_output":
		return message{role: roleTool, text: textOf(it.Output)}, true
	}
	return message{role: it.Role, text: textOf(it.Content)}, it.Role != ""
}

func responsesWhole(a answer) any { return responsesDone(a) }

func responsesStream(a answer) []event {
	s := &sequence{}
	s.add("response.created", object{"response": responsesObject(a)})
	s.add("response.in_progress", object{"response": responsesObject(a)})
	if a.call != nil {
		s.call(a)
	} else {
		s.text(a)
	}
	s.add("response.output_item.done", object{"output_index": 0, "item": responsesItem(a)})
	s.add("response.completed", object{"response": responsesDone(a)})
	return s.events
}

// sequence numbers a response's events.
type sequence struct{ events []event }

func (s *sequence) add(kind string, fields object) {
	fields["type"], fields["sequence_number"] = kind, len(s.events)
	s.events = append(s.events, typed(fields))
}

func (s *sequence) text(a answer) {
	part := func(kind string, fields object) {
		fields["item_id"], fields["output_index"], fields["content_index"] = "msg_1", 0, 0
		s.add(kind, fields)
	}
	begun := object{"id": "msg_1", "type": "message", "status": "in_progress", "role": "assistant", "content": []any{}}
	s.add("response.output_item.added", object{"output_index": 0, "item": begun})
	part("response.content_part.added", object{"part": responsesPart("")})
	for _, text := range a.chunks() {
		part("response.output_text.delta", object{"delta": text, "logprobs": []any{}})
	}
	part("response.output_text.done", object{"text": a.text, "logprobs": []any{}})
	part("response.content_part.done", object{"part": responsesPart(a.text)})
}

func (s *sequence) call(a answer) {
	begun := object{
		"id": "fc_1", "type": "function_call", "status": "in_progress",
		"call_id": a.call.id, "name": a.call.name, "arguments": "",
	}
	s.add("response.output_item.added", object{"output_index": 0, "item": begun})
	s.add("response.function_call_arguments.delta", object{"item_id": "fc_1", "output_index": 0, "delta": a.call.arguments})
	s.add("response.function_call_arguments.done", object{
		"item_id": "fc_1", "output_index": 0, "arguments": a.call.arguments, "name": a.call.name,
	})
}

// responsesObject is a response as it begins. The fields that say nothing here
// are there because strict clients refuse a response without them.
func responsesObject(a answer) object {
	return object{
		"id": "resp_1", "object": "response", "created_at": created, "status": "in_progress",
		"model": a.model, "output": []any{}, "parallel_tool_calls": true, "tools": []any{},
		"tool_choice": "auto", "temperature": 1, "top_p": 1, "metadata": object{},
		"error": nil, "incomplete_details": nil, "instructions": nil,
	}
}

func responsesDone(a answer) object {
	r := responsesObject(a)
	r["status"], r["output"] = "completed", []any{responsesItem(a)}
	r["usage"] = object{
		"input_tokens": inputTokens, "input_tokens_details": object{"cached_tokens": 0},
		"output_tokens": outputTokens, "output_tokens_details": object{"reasoning_tokens": 0},
		"total_tokens": inputTokens + outputTokens,
	}
	return r
}

func responsesItem(a answer) object {
	if a.call != nil {
		return object{
			"id": "fc_1", "type": "function_call", "status": "completed",
			"call_id": a.call.id, "name": a.call.name, "arguments": a.call.arguments,
		}
	}
	return object{
		"id": "msg_1", "type": "message", "status": "completed", "role": "assistant",
		"content": []any{responsesPart(a.text)},
	}
}

func responsesPart(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}
