// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hibiken/asynq"
)

const taskType = "preflight"

// asynqConfig holds the settings that differ between the variants of asynq.
type asynqConfig struct {
	// keep is the retention of finished tasks.
	keep time.Duration
	// check is the polling interval of an empty queue; 0 selects asynq's default.
	check time.Duration
	// perTenant gives each of so many tenants a queue of its own; 0 is one
	// queue for all.
	perTenant int
}

// asynqContender is asynq as its documentation recommends it: one server with
// as many workers as there are slots, and a task with an id of ours.
type asynqContender struct {
	redis  asynq.RedisClientOpt
	client *asynq.Client
	config asynqConfig
}

func newAsynq(addr string, config asynqConfig) *asynqContender {
	opt := asynq.RedisClientOpt{Addr: addr}
	return &asynqContender{redis: opt, client: asynq.NewClient(opt), config: config}
}

func (a *asynqContender) submit(ctx context.Context, id string, tenant int) error {
	options := []asynq.Option{asynq.TaskID(id), asynq.Retention(a.config.keep)}
	if a.config.perTenant > 0 {
		options = append(options, asynq.Queue(strconv.Itoa(tenant)))
	}
	if _, err := a.client.EnqueueContext(ctx, asynq.NewTask(taskType, []byte(id)), options...); err != nil {
		return fmt.Errorf("enqueue: %w", err)
	}
	return nil
}

func (a *asynqContender) serve(ctx context.Context, slots int, do func(id string)) error {
	config := asynq.Config{
		Concurrency: slots, TaskCheckInterval: a.config.check, Logger: silence{}, LogLevel: asynq.FatalLevel,
	}
	if a.config.perTenant > 0 {
		config.Queues = map[string]int{}
		for tenant := range a.config.perTenant {
			config.Queues[strconv.Itoa(tenant)] = 1
		}
	}
	server := asynq.NewServer(a.redis, config)
	handler := asynq.HandlerFunc(func(_ context.Context, task *asynq.Task) error {
		do(string(task.Payload()))
		return nil
	})
	if err := server.Start(handler); err != nil {
		return fmt.Errorf("start asynq: %w", err)
	}
	<-ctx.Done()
	server.Shutdown()
	return nil
}

func (a *asynqContender) close() error { return a.client.Close() }

// left returns the number of unfinished tasks. A finished task whose completion asynq could not
// record in time stays active until its lease expires. This happens on a busy machine; the
// benchmark does not wait for it.
func (a *asynqContender) left(context.Context) (int, error) {
	inspector := asynq.NewInspector(a.redis)
	defer func() { _ = inspector.Close() }()
	info, err := inspector.GetQueueInfo("default")
	if errors.Is(err, asynq.ErrQueueNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("inspect asynq: %w", err)
	}
	return info.Pending + info.Scheduled + info.Retry + info.Archived, nil
}

// silence is a logger that discards everything.
type silence struct{}

func (silence) Debug(...any) {}
func (silence) Info(...any)  {}
func (silence) Warn(...any)  {}
func (silence) Error(...any) {}
func (silence) Fatal(...any) {}
