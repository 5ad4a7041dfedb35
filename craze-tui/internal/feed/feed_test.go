package feed

import (
	"testing"

	"go.uber.org/goleak"

	"craze/shared/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWhatComesTogetherIsToldTogetherAndInOrder(t *testing.T) {
	items := make(chan client.Item)
	go func() {
		defer close(items)
		for i := range 1000 {
			items <- client.Event{Seq: uint64(i)}
		}
	}()
	var got []client.Item
	batches := 0
	gather(items, func(b Batch) {
		batches++
		got = append(got, b.Items...)
	})
	for i, it := range got {
		if it.(client.Event).Seq != uint64(i) {
			t.Fatalf("item %d is %v", i, it)
		}
	}
	if len(got) != 1000 || batches >= 1000 {
		t.Errorf("%d items in %d batches", len(got), batches)
	}
}
