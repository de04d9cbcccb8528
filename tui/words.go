package tui

import (
	"fmt"
	"time"
)

// tokens is a count in few characters.
func tokens(n int64) string {
	switch {
	case n < 0:
		return "0"
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%d.%dk", n/1000, n/100%10)
	default:
		return fmt.Sprintf("%d.%dM", n/1_000_000, n/100_000%10)
	}
}

// clock is a duration as minutes and seconds, with hours from the first on.
func clock(d time.Duration) string {
	s := int64(max(0, d) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// seconds is how long a tool took.
func seconds(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return clock(d)
	}
}

// age is how long ago something was, in its largest unit.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int64(max(0, d)/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int64(d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int64(d/time.Hour))
	default:
		return fmt.Sprintf("%dd", int64(d/(24*time.Hour)))
	}
}

// money is a cost in US dollars; nil is unknown and never 0. partial marks a
// sum in which something had no price.
func money(usd *float64, partial bool, dash string) string {
	if usd == nil {
		return dash
	}
	sign := ""
	if partial {
		sign = "≥"
	}
	if *usd > 0 && *usd < 0.01 {
		return fmt.Sprintf("%s$%.4f", sign, *usd)
	}
	return fmt.Sprintf("%s$%.2f", sign, *usd)
}

// bytesWords is a number of bytes for a person.
func bytesWords(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
