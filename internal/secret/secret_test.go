package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

func TestSecretNeverPrints(t *testing.T) {
	const canary = "c4n4ry-hunter2"
	s := secret.New(canary)
	holder := struct {
		Password secret.Secret
		Pointer  *secret.Secret
		hidden   secret.Secret
	}{s, &s, s}

	_ = holder.hidden
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", s, "holder", holder)
	j, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	y, err := yaml.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{log.String(), string(j), string(y)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		out = append(out, fmt.Sprintf(verb, s), fmt.Sprintf(verb, holder))
	}
	for _, text := range out {
		if strings.Contains(text, canary) || strings.Contains(text, fmt.Sprintf("%x", canary)) {
			t.Errorf("leaked in %q", text)
		}
		if strings.TrimSpace(text) == "" {
			t.Error("rendered nothing at all")
		}
	}
	if s.Reveal() != canary || s.Empty() || !s.Equal(secret.New(canary)) || s.Equal(secret.New("x")) {
		t.Error("Reveal, Empty or Equal is wrong")
	}
}

// A tag is published of values drawn at random alone, says no more than its few digits, and is found again from a copy.
func TestTag(t *testing.T) {
	const value = "aB3-efghjkmnpqrstu"
	tag := secret.Random(value).Tag()
	if len(tag) != 6 || !secret.New(value).Bears(tag) || secret.New(value+"x").Bears(tag) {
		t.Errorf("tag %q", tag)
	}
	for name, s := range map[string]secret.Secret{"a person's": secret.New(value), "a short one": secret.Random(value[1:]), "none": {}} {
		if got := s.Tag(); got != "" {
			t.Errorf("%s has tag %q", name, got)
		}
	}
}
