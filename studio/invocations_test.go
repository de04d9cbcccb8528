package studio_test

import "testing"

func TestInvocation_TheDetailHasEveryMemberOfTheListing(t *testing.T) {
	s := open(t, lionagiStore(t), nil)
	rows := object(t, s, "/api/invocations/")["invocations"].([]any)
	if len(rows) == 0 {
		t.Fatal("nothing to compare")
	}
	for _, r := range rows {
		row := r.(map[string]any)
		detail := object(t, s, "/api/invocations/"+row["id"].(string))
		for name := range row {
			if _, ok := detail[name]; !ok {
				t.Errorf("%s is missing", name)
			}
		}
		if len(detail) != len(row)+2 {
			t.Errorf("%d members over %d of the listing, want sessions and artifacts besides", len(detail), len(row))
		}
	}
}
