// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/jackc/pgx/v5"
)

// The default database of every server, and the roles of the platform.
const (
	databaseName = "postgres"
	apiRole      = "printmarket_api"
	workerRole   = "printmarket_worker"
	webhooksRole = "printmarket_webhooks"
)

// migrate creates the roles and the schema. The superuser owns the schema.
func (c *cluster) migrate(ctx, _ context.Context) error {
	if err := c.makeRoles(ctx); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, c.printmarket(), "migrate", "--api-role", apiRole, "--worker-role", workerRole, "--webhooks-role", webhooksRole)
	command.Env = append(os.Environ(), c.variables(c.database.URL(databaseName))...)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}

func (c *cluster) makeRoles(ctx context.Context) (err error) {
	conn, err := pgx.Connect(ctx, c.database.URL(databaseName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	c.passwords = map[string]string{}
	for _, role := range []string{apiRole, workerRole, webhooksRole} {
		c.passwords[role] = rand.Text()
		if _, err := conn.Exec(ctx, "CREATE ROLE "+role+" LOGIN PASSWORD '"+c.passwords[role]+"'"); err != nil {
			return fmt.Errorf("make the role %s: %w", role, err)
		}
	}
	return nil
}
