package costing_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/printmarket/printmarket/internal/costing"
)

func TestSmoke(t *testing.T) {
	files, _ := filepath.Glob("../../docs/examples/costing/*.json")
	for _, f := range files {
		body, _ := os.ReadFile(f)
		res, err := calculate(t, body)
		fmt.Println("=====", f, err)
		var re *costing.ReviewError
		if errors.As(err, &re) {
			for _, r := range re.Reasons {
				fmt.Println(r.Code, r.Detail, r.Pointer)
			}
			res = re.Result
		}
		if res == nil {
			continue
		}
		for _, b := range res.Breaks {
			fmt.Println("--", b.Quantity, b.Total, b.UnitCost)
			for _, l := range b.Lines {
				fmt.Printf("  %-20s %-8s %-10s %-12s %10s %-12s x %-8s = %s   (%s)\n", l.Step, l.Item, l.Part, l.Resource.ID, l.Quantity, l.Unit, l.Rate, l.Amount, l.Description)
			}
			p, _ := json.Marshal(b.Plan)
			fmt.Println(string(p))
			p, _ = json.Marshal(b.Alternatives)
			fmt.Println(string(p))
		}
		p, _ := json.Marshal(res.Assumptions)
		fmt.Println(string(p))
	}
}
