// SPDX-License-Identifier: Apache-2.0

package platformapi_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

// held is a service whose checks block until the test releases them.
type held struct {
	platformapi.MasterData
	began, release chan struct{}
}

func (h *held) Check(ctx context.Context, d masterdata.Draft, by masterdata.Instruction) (masterdata.Imported, error) {
	h.began <- struct{}{}
	<-h.release
	return h.MasterData.Check(ctx, d, by)
}

// The test blocks one import and sends another.
func TestOneImportIsInMemoryAtATime(t *testing.T) {
	t.Parallel()
	set, err := contracts.Load(docs.API)
	if err != nil {
		t.Fatalf("contracts.Load: %v", err)
	}
	service := &held{began: make(chan struct{}, 1), release: make(chan struct{})}
	all, err := platformapi.Routes(nil, nil, nil, nil, service, nil, set)
	if err != nil {
		t.Fatalf("platformapi.Routes: %v", err)
	}
	var route gate.Route
	for _, one := range all {
		if one.Method == http.MethodPost && one.Pattern == root+snapshots {
			route = one
		}
	}
	server := apitest.New(t, apitest.Options{Routes: []gate.Route{route}})
	service.MasterData = server.MasterData
	text := document(t, "org_acme01", 1)
	done := make(chan int, 1)
	first := server.Build(t, apitest.Request{Method: "POST", Path: root + snapshots + "?dryRun=true", Key: "platform-live", Body: text})
	go func() {
		var rec status
		server.Handler.ServeHTTP(&rec, first)
		done <- int(rec)
	}()
	<-service.began
	for _, body := range []string{text, `{}`} {
		a, _, _ := imports(t, server, "", body)
		a.Want(t, 503, problem.CodeOverloaded).WantRetry(t)
	}
	get(t, server, "platform-reads", snapshots).Want(t, 200, "")
	close(service.release)
	if got := <-done; got != http.StatusOK {
		t.Errorf("the first import: status %d", got)
	}
	a, _, _ := imports(t, server, "", text)
	a.Want(t, 201, "")
	a, _, _ = imports(t, server, "", `{}`)
	a.Want(t, 422, problem.CodePlatformRequestInvalid)
	a, _, _ = imports(t, server, "", text)
	a.Want(t, 200, "") // a rejected import releases its slot
}

// status returns a response that contains only the status.
type status int

func (*status) Header() http.Header         { return http.Header{} }
func (*status) Write(b []byte) (int, error) { return len(b), nil }
func (s *status) WriteHeader(code int)      { *s = status(code) }

func TestMasterDataReportsAnUnavailableStore(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	text := document(t, "org_acme01", 1)
	_, s, _ := imports(t, server, "", text)
	id := post(t, server, "platform-live", snapshots+"/"+s.ID+"/approve", `{}`).Want(t, 201, "").Text(t, "id")
	server.Store.Set(storetest.Away)
	for _, path := range []string{snapshots, snapshots + "/" + s.ID, snapshots + "/" + s.ID + "/content", approvals} {
		get(t, server, "platform-reads", path).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
	}
	for path, body := range map[string]string{
		snapshots: text, snapshots + "?dryRun=true": text, snapshots + "/" + s.ID + "/approve": `{}`, approvals + "/" + id + "/withdraw": reason,
	} {
		post(t, server, "platform-live", path, body).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
	}
	server.Store.Set(storetest.Unknown)
	post(t, server, "platform-live", snapshots, document(t, "org_acme01", 2)).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
	server.Store.Set(storetest.None)
	a, _, isNew := imports(t, server, "", document(t, "org_acme01", 2))
	if a.Want(t, 200, ""); isNew { // the import was committed
		t.Error("the import with an unknown outcome has no record, want one")
	}
}
