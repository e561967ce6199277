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

// asynqConfig is what differs between the ways asynq is run.
type asynqConfig struct {
	// keep is how long finished tasks stay.
	keep time.Duration
	// check is how often an empty queue is looked at; 0 is asynq's default.
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

// left is how many tasks are not done. One that was done, and of which asynq could
// not write so in time, is still active until its lease is over; that happens on a
// busy machine, and is not waited for.
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
