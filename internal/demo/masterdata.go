// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/masterdata"
	mdsource "github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/transaction"
)

// seeder is the actor of the demo master data.
var seeder = masterdata.Instruction{
	Actor: transaction.Actor{Organization: "org_market", Key: "demo", RequestID: "start"}, Note: "demo master data",
}

// SeedMasterData imports and approves the demo master data. It skips documents whose
// level and owner ever had an approval.
func SeedMasterData(ctx context.Context, service *masterdata.Service) error {
	for _, name := range []string{config.CatalogFile, config.PlatformResourcesDir, config.AcmeResourcesDir} {
		document, err := mdsource.ReadFS(ctx, config.FS, name, mdsource.Options{})
		if err != nil {
			return fmt.Errorf("demo master data: %w", err)
		}
		draft := masterdata.DraftOf(document)
		former, err := service.Approvals(ctx, draft.About(), "", 1)
		if err != nil {
			return err
		}
		if len(former) > 0 {
			continue
		}
		imported, err := service.Import(ctx, draft, seeder)
		if err != nil {
			return fmt.Errorf("demo master data: %w", err)
		}
		if _, err := service.Approve(ctx, imported.Snapshot.ID, masterdata.Window{}, seeder); err != nil {
			return fmt.Errorf("demo master data: %w", err)
		}
	}
	return nil
}
