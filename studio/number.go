package studio

import (
	"fmt"
	"math"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// number is a binary64 as the API writes it: the shortest digits that read
// back as the same value, always with a fraction or an exponent (100.0, 1e-05),
// so that clients of v1 find the bytes they know.
type number float64

// MarshalJSONTo writes the number; infinities and NaN have no JSON form.
func (n number) MarshalJSONTo(enc *jsontext.Encoder) error {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("writing the number %v: it has no JSON form", f)
	}
	return enc.WriteValue(appendNumber(enc.AvailableBuffer(), f))
}

// Schema documents the number.
func (number) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeNumber, Format: "double"}
}

// appendNumber writes f with the switch to exponents at 1e16 and below 1e-4.
func appendNumber(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	if abs != 0 && (abs >= 1e16 || abs < 1e-4) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, '.', '0')
}

// numberOf copies an optional stored number.
func numberOf(f *float64) *number {
	if f == nil {
		return nil
	}
	n := number(*f)
	return &n
}
