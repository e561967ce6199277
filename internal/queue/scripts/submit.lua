-- Add a job unless the queue has it.
-- ARGV prefix id tenant attempt weight most; weight is 0 if weight and
-- limit are unknown.
-- Returns 1 if the job was added, 0 if the queue had it. A job that is recorded but in no
-- list was lost in part, such as by a manual change, and is added again.

-- reweigh sets the weight and the limit of the tenant.
local function reweigh(name, weight, most)
  local t = tenant(name)
  if weight == 0 or not t.fresh and t.w == weight and t.m == most then return end
  t.w, t.m, t.dirty = weight, most, true
  if not t.fresh then
    call('ZREM', P .. 'parked', name)
    place(name, t)
  end
end

-- restore reports whether a recorded job is in its list: the stream, its backlog or the
-- delayed jobs. It restores the other parts of the job.
local function restore(id, j, listed)
  local waiting = j.entry == NONE and call('ZSCORE', P .. 'b:' .. j.tenant, id)
  if not (listed or waiting or j.entry == NONE and call('ZSCORE', P .. 'delayed', id)) then return false end
  call('ZADD', P .. 'open', 'NX', CLOCK, id)
  if waiting then
    place(j.tenant, tenant(j.tenant))
    dispatch_waiting()
  end
  return true
end

-- renew enqueues a recorded job again, unless its list has it.
local function renew(id, j, name, attempt)
  local seen = tonumber(j.attempt)
  local found = j.entry ~= NONE and call('XRANGE', STREAM, j.entry, j.entry)[1]
  local listed = found and found[2][2] == id
  if seen and j.tenant ~= NONE then
    -- Attempts never decrease: the higher one, of the store or of Redis, applies.
    if seen < tonumber(attempt) then
      j.attempt, j.dirty = attempt, true
    end
    attempt = j.attempt
    if restore(id, j, listed) then return false end
  end
  if j.entry ~= NONE then
    -- The job was dispatched, but its entry is missing or the job is invalid.
    if listed then drop(j.entry) end
    local t = tenant(name)
    t.r, t.dirty = math.max(0, t.r - 1), true
    place(name, t)
  end
  local order = j.order
  j = record(name, attempt)
  j.order, j.dirty = order, true
  jobs[id] = j
  return true
end

local function main()
  local id, name, attempt = ARGV[2], ARGV[3], ARGV[4]
  reweigh(name, tonumber(ARGV[5]), tonumber(ARGV[6]))
  local j = job(id)
  if not j then
    j = record(name, attempt)
    j.dirty, jobs[id] = true, j
  elseif not renew(id, j, name, attempt) then
    return 0
  end
  local at = call('ZADD', P .. 'open', 'NX', CLOCK, id) == 1 and CLOCK or submitted(id)
  if call('ZREM', P .. 'dead', id) == 1 then call('DEL', P .. 'dead:' .. id) end
  enqueue(id, name, at)
  return 1
end
