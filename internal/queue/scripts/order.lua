-- Dispatch a job so that a worker executes an operator's order for it. The job precedes
-- all waiting jobs.
-- ARGV prefix id cancel|retry outcome, which is stored for a retry of a job that a worker holds
-- Returns 1, or 0 for a job that is neither queued nor a dead letter.

-- withdraw removes a job from its backlog, the delayed jobs or the stream. It returns false
-- for a retry of a job that a worker holds: the attempt of the worker ends first.
local function withdraw(id, j)
  if j.entry ~= NONE then
    if ARGV[3] == 'retry' and j.holder ~= NONE then
      call('SET', P .. 'ordered:' .. id, ARGV[4], 'PX', 3600000)
      return false
    end
    release(j)
  end
  call('ZREM', P .. 'b:' .. j.tenant, id)
  call('ZREM', P .. 'delayed', id)
  local t = tenant(j.tenant)
  t.q = nil
  place(j.tenant, t)
  return true
end

-- take_dead removes a job from the dead letters.
local function take_dead(id)
  local dead = call('HMGET', P .. 'dead:' .. id, 'tenant', 'attempt')
  if not dead[1] or dead[1] == NONE then return nil end
  call('ZREM', P .. 'dead', id)
  call('DEL', P .. 'dead:' .. id)
  jobs[id] = record(dead[1], dead[2])
  call('ZADD', P .. 'open', 'NX', CLOCK, id)
  return jobs[id]
end

local function main()
  local id = ARGV[2]
  local j = job(id)
  if j and j.tenant ~= NONE then
    if not withdraw(id, j) then return 1 end
  else
    j = take_dead(id)
    if not j then return 0 end
  end
  -- By the attempt, later calls detect whether the order was executed.
  j.order, j.since, j.dirty = ARGV[3] .. ':' .. j.attempt, CLOCK, true
  call('DEL', P .. 'ordered:' .. id)
  local t = tenant(j.tenant)
  dispatch(id, j.tenant, t)
  place(j.tenant, t)
  return 1
end
