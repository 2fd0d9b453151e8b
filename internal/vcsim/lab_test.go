package vcsim

import (
	"context"
	"testing"
	"time"
)

func start(t *testing.T, o Options) *Lab {
	t.Helper()
	l, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func TestStart(t *testing.T) {
	at := time.Now()
	l := start(t, Options{VCenters: 2})
	t.Log("started in", time.Since(at))
	for _, v := range l.VCenters {
		if _, err := v.Login(context.Background(), v.AdminUser(), v.AdminPassword()); err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", v.Estate())
		t.Log(v.Requests())
	}
}
