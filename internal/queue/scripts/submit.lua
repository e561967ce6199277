-- Take a job in unless it is here already.
-- ARGV prefix id tenant attempt weight most; weight is 0 where the share is not
-- known.
-- Returns 1 when it was added, 0 when it was known. A job that is known and can
-- be found nowhere was lost in part, by hand or by another's fault, and is added
-- again.

-- reweigh gives the tenant the share that comes with the job.
local function reweigh(name, weight, most)
  local t = tenant(name)
  if weight == 0 or not t.fresh and t.w == weight and t.m == most then return end
  t.w, t.m, t.dirty = weight, most, true
  if not t.fresh then
    call('ZREM', P .. 'parked', name)
    place(name, t)
  end
end

-- here reports whether a job that is known is where it says that it is, in its
-- stream, its backlog or among those that are delayed. Whatever else was lost of it
-- is put back.
local function here(id, j, listed)
  local waiting = j.entry == NONE and call('ZSCORE', P .. 'b:' .. j.tenant, id)
  if not (listed or waiting or j.entry == NONE and call('ZSCORE', P .. 'delayed', id)) then return false end
  call('ZADD', P .. 'open', 'NX', CLOCK, id)
  if waiting then
    place(j.tenant, tenant(j.tenant))
    admit()
  end
  return true
end

-- renew makes a job wait that is known, unless it is here.
local function renew(id, j, name, attempt)
  local seen = tonumber(j.attempt)
  local found = j.entry ~= NONE and call('XRANGE', STREAM, j.entry, j.entry)[1]
  local listed = found and found[2][2] == id
  if seen and j.tenant ~= NONE then
    -- Attempts never run backwards: a store that remembers more than Redis wins.
    if seen < tonumber(attempt) then
      j.attempt, j.dirty = attempt, true
    end
    attempt = j.attempt
    if here(id, j, listed) then return false end
  end
  if j.entry ~= NONE then
    -- It was dispatched, and is not any more or not in a form to be done.
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
