//go:build !linux && !darwin

package store

func networkFS(string) string { return "" }
