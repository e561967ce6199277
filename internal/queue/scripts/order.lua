-- Let a worker carry out an operator's order for a job: the job precedes all waiting
-- jobs, regardless of its present holder.
-- ARGV prefix id cancel|retry outcome, which is of a retry of what a worker has
-- Returns 1, or 0 for a job that is neither queued nor a dead letter.

-- withdraw takes a job from where it waits or is dispatched. It reports false for
-- what a worker has and is to try again, which ends first.
local function withdraw(id, j)
  if j.entry ~= NONE then
    if ARGV[3] == 'retry' and j.holder ~= NONE then
      call('SET', P .. 'ordered:' .. id, ARGV[4], 'PX', 3600000)
      return false
    end
    vacate(j)
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
  -- By the attempt, later calls detect whether the order was carried out.
  j.order, j.since, j.dirty = ARGV[3] .. ':' .. j.attempt, CLOCK, true
  call('DEL', P .. 'ordered:' .. id)
  local t = tenant(j.tenant)
  dispatch(id, j.tenant, t)
  place(j.tenant, t)
  return 1
end
