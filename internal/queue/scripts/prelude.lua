-- Definitions that scripts share. A script defines main(). Changes of main to the queue,
-- the tenants and the jobs are written once, after main has returned. A script contains
-- only the definitions that it uses: a block is a comment and a definition that begins and
-- ends at the margin.
local GROUP = 'workers'

-- FIRST_COST is the estimated cost of the first job of a tenant, in microseconds. A job
-- costs its tenant the time of the worker. While the job runs, the tenant is charged the mean
-- time of its earlier jobs.
local FIRST_COST = 100000
local DEFAULT_WEIGHT = 10
-- LONGEST_MS bounds the time of a job. Longer times mean that the clock was set forward.
local LONGEST_MS = 600000
-- REMEMBER_MS is how long a tenant without jobs keeps its position in virtual time.
local REMEMBER_MS = 600000

-- num formats a whole number, so that the server does not round it in a reply. Commands
-- accept numbers, but format them as fractions first, which costs more than many commands.
-- Calls for each job therefore pass strings.
local function num(x)
  return string.format('%d', x)
end

-- load_meta parses META.
local meta, meta_dirty

local function load_meta()
  if not meta then
    local v, c, n, u, rest = string.match(META, '^%d+ (%d+) (%d+) (%d+) (%d+) (.+)$')
    meta = {
      v = tonumber(v) or 0, c = tonumber(c) or FIRST_COST, n = tonumber(n) or 0, u = tonumber(u) or 0,
      rest = rest or '0 0 0',
    }
  end
  return meta
end

-- load_maintenance is load_meta with the values that only maintenance needs.
local function load_maintenance()
  local m = load_meta()
  if not m.j then
    local j, g, x = string.match(m.rest, '^(%d+) (%d+) (%d+)$')
    m.j, m.g, m.x = tonumber(j) or 0, tonumber(g) or 0, tonumber(x) or 0
  end
  return m
end

-- tenant reads the state of a tenant:
--   w  its weight
--   m  the maximum of its dispatched jobs; see limit
--   r  the number of its dispatched jobs
--   f  the start of its next job in virtual time
--   c  the mean time of its jobs, in microseconds
--   q  the length of its backlog, nil until it was read
--   dirty reports whether flush must write the tenant
local tenants = {}

local function tenant(name)
  local t = tenants[name]
  if not t then
    local w, m, r, f, c = string.match(call('GET', P .. 't:' .. name) or '', '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
    t = {
      w = tonumber(w) or DEFAULT_WEIGHT, m = tonumber(m) or 0, r = tonumber(r) or 0,
      f = tonumber(f) or 0, c = tonumber(c) or load_meta().c, fresh = not w,
    }
    tenants[name] = t
  end
  return t
end

-- waits reports whether a tenant has a backlog. It reads the length once; each caller
-- that changes a backlog updates q.
local function waits(name, t)
  t.q = t.q or call('ZCARD', P .. 'b:' .. name)
  return t.q > 0
end

-- limit returns the maximum of dispatched jobs of a tenant, 0 for no limit. An m above
-- PART is a percentage of all slots plus PART; a tenant gets at least one slot.
local PART = 1000000

local function limit(t)
  if t.m <= PART then return t.m end
  return math.max(1, math.floor(load_meta().n * (t.m - PART) / 100))
end

-- full reports whether a tenant has reached its limit.
local function full(t)
  local most = limit(t)
  return most > 0 and t.r >= most
end

-- place moves a tenant with a backlog to the ring, or to the parked tenants if it has
-- reached its limit. It removes a tenant without a backlog from both.
local function place(name, t)
  if not waits(name, t) then
    call('ZREM', P .. 'ring', name)
    if t.m > 0 then call('ZREM', P .. 'parked', name) end
    return
  end
  t.f = math.max(t.f, load_meta().v)
  if t.m == 0 then
    call('ZADD', P .. 'ring', num(t.f), name)
  elseif full(t) then
    call('ZREM', P .. 'ring', name)
    call('ZADD', P .. 'parked', num(t.f), name)
  else
    call('ZADD', P .. 'ring', num(t.f), name)
    call('ZREM', P .. 'parked', name)
  end
end

-- A job is one string with these values, separated by spaces: the last attempt, how often
-- a worker lost the job, the time from which it waits or last waited, its tenant, its entry in the
-- stream, the cost that the tenant was charged, the worker that holds the job, the start of
-- the attempt, and the order of an operator.
local NONE = '-'

local function words(j)
  return j.attempt .. ' ' .. j.lost .. ' ' .. j.since .. ' ' .. j.tenant .. ' ' .. j.entry .. ' ' ..
    j.charged .. ' ' .. j.holder .. ' ' .. j.at .. ' ' .. j.order
end

-- record returns a new waiting job.
local function record(name, attempt)
  return {
    attempt = attempt, lost = '0', since = CLOCK, tenant = name, entry = NONE, charged = '0', holder = NONE,
    at = NONE, order = NONE,
  }
end

-- UNREADABLE is the attempt of a job that cannot be read, because another program wrote it.
local UNREADABLE = '?'

-- jobs holds the jobs that were read; false is an unknown job. flush writes those that
-- are dirty.
local jobs = {}

-- job reads a job. Another program wrote a key that is not a string: job deletes the key
-- and treats the job as unknown.
local function job(id)
  local j = jobs[id]
  if j ~= nil then return j end
  local text = redis.pcall('GET', P .. 'job:' .. id)
  if type(text) == 'table' then
    call('DEL', P .. 'job:' .. id)
    text = false
  end
  j = false
  if text then
    local attempt, lost, since, name, entry, charged, holder, at, order =
      string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)$')
    if attempt then
      j = {
        attempt = attempt, lost = lost, since = since, tenant = name, entry = entry, charged = charged,
        holder = holder, at = at, order = order,
      }
    else
      j = record(NONE, UNREADABLE)
    end
  end
  jobs[id] = j
  return j
end

-- flush writes the changed values.
local function flush()
  if meta_dirty then
    local m = meta
    if m.j then m.rest = string.format('%d %d %d', m.j, m.g, m.x) end
    call('SET', P .. 'meta', string.format('%s %d %d %d %d %s', FORMAT, m.v, m.c, m.n, m.u, m.rest))
  end
  for id, j in pairs(jobs) do
    if j and j.dirty then call('SET', P .. 'job:' .. id, words(j)) end
  end
  for name, t in pairs(tenants) do
    if t.dirty then
      local figures = string.format('%d %d %d %d %d', t.w, t.m, t.r, t.f, t.c)
      if t.r == 0 and not waits(name, t) then
        call('SET', P .. 't:' .. name, figures, 'PX', REMEMBER_MS)
      else
        call('SET', P .. 't:' .. name, figures)
      end
    end
  end
end

-- length is the length of the stream, nil until it was read.
local length

-- dispatch makes a job ready for any worker and charges its tenant.
local function dispatch(id, name, t)
  local cost, j = t.c, job(id)
  if not j or j.tenant ~= name then
    -- The worker that leases it makes it a dead letter.
    j = record(name, UNREADABLE)
    jobs[id] = j
  end
  j.entry, j.charged, j.dirty = call('XADD', STREAM, '*', 'id', id), num(cost), true
  t.r, t.f, t.dirty = t.r + 1, math.max(t.f, load_meta().v) + math.floor(cost / t.w), true
  if length then length = length + 1 end
end

-- room returns how many more jobs may be dispatched. The stream has at most one job for
-- each slot, so that all other jobs wait in their backlogs, in the fair order.
local function room()
  local m = load_meta()
  if m.u > NOW then return 0 end
  length = length or call('XLEN', STREAM)
  return m.n - length
end

-- dispatch_waiting dispatches waiting jobs while there is room, each from the tenant that
-- is farthest behind in virtual time.
local function dispatch_waiting()
  local free = room()
  while free > 0 do
    local head = call('ZRANGE', P .. 'ring', '0', '0', 'WITHSCORES')
    local name = head[1]
    if not name then return end
    local m, t = load_meta(), tenant(name)
    -- The limit may have become lower since the tenant was placed.
    local first = not full(t) and call('ZPOPMIN', P .. 'b:' .. name) or {}
    if first[1] then
      free = free - 1
      if t.q then t.q = t.q - 1 end
      m.v, meta_dirty = math.max(m.v, tonumber(head[2])), true
      t.f = tonumber(head[2])
      dispatch(first[1], name, t)
    else
      t.q = nil
    end
    place(name, t)
  end
end

-- enqueue adds a job to the backlog of its tenant, or dispatches the job at once if no job
-- waits and there is room.
local function enqueue(id, name, submitted)
  local t, free = tenant(name), room() > 0
  if free and not full(t) and call('ZCARD', P .. 'ring') == 0 and not waits(name, t) then
    dispatch(id, name, t)
    return
  end
  call('ZADD', P .. 'b:' .. name, submitted, id)
  t.q = call('ZCARD', P .. 'b:' .. name)
  -- Another job does not change the place of a tenant that has a backlog.
  if t.q == 1 then
    t.dirty = true
    place(name, t)
  end
  if free then dispatch_waiting() end
end

-- drop acknowledges an entry and deletes it from the stream.
local function drop(entry)
  call('XACK', STREAM, GROUP, entry)
  local gone = call('XDEL', STREAM, entry)
  if length then length = length - gone end
end

-- release removes a dispatched job from the stream, and charges its tenant the measured
-- time instead of the estimate. A job that no worker has started costs nothing.
local function release(j)
  drop(j.entry)
  local name, at = j.tenant, tonumber(j.at)
  local t, took = tenant(name), 0
  t.r, t.dirty = math.max(0, t.r - 1), true
  if at then
    took = math.min(math.max(0, NOW - at), LONGEST_MS) * 1000
    local m = load_meta()
    t.c = t.c + math.floor((took - t.c) / 8)
    m.c, meta_dirty = m.c + math.floor((took - m.c) / 64), true
  end
  t.f = math.max(0, t.f + math.floor((took - (tonumber(j.charged) or 0)) / t.w))
  j.entry, j.holder, j.at, j.dirty = NONE, NONE, NONE, true
  if t.m > 0 then
    place(name, t)
  elseif t.q ~= 0 then
    -- Only a tenant with a backlog is in the ring.
    call('ZADD', P .. 'ring', 'XX', num(math.max(t.f, load_meta().v)), name)
  end
end

-- remove deletes a job.
local function remove(id)
  jobs[id] = false
  call('ZREM', P .. 'open', id)
  call('DEL', P .. 'job:' .. id)
end

-- dead_letter makes a job a dead letter, for an operator to inspect.
local DEAD_MOST, DEAD_MS = 10000, 30 * 24 * 3600 * 1000

local function dead_letter(id, name, attempt, reason)
  local submitted, j = call('ZSCORE', P .. 'open', id), job(id)
  remove(id)
  local key = P .. 'dead:' .. id
  call('HSET', key, 'tenant', name or NONE, 'attempt', attempt or 0, 'reason', reason, 'submitted', submitted or 0,
    'lost', j and j.lost or 0)
  call('PEXPIRE', key, DEAD_MS)
  call('ZADD', P .. 'dead', NOW, id)
  call('ZREMRANGEBYSCORE', P .. 'dead', '-inf', NOW - DEAD_MS)
  for _ = 1, call('ZCARD', P .. 'dead') - DEAD_MOST do
    call('DEL', P .. 'dead:' .. call('ZPOPMIN', P .. 'dead')[1])
  end
end

-- granted formats a lease for lease.go.
local function granted(id, j, waited)
  return id .. ' ' .. j.tenant .. ' ' .. j.attempt .. ' ' .. j.lost .. ' ' .. waited .. ' ' .. j.order
end

-- start leases the next attempt of the job of a delivered entry. It drops an entry that
-- its job does not name.
local function start(entry, id, consumer)
  local j = job(id)
  if not j or j.entry ~= entry then
    drop(entry)
    return nil
  end
  local name, attempt = j.tenant, tonumber(j.attempt)
  if name == NONE or not attempt then
    if name ~= NONE then release(j) else drop(entry) end
    dead_letter(id, name, attempt, 'MALFORMED')
    return nil
  end
  j.attempt, j.holder, j.at, j.dirty = num(attempt + 1), consumer, CLOCK, true
  local waited = math.max(0, NOW - (tonumber(j.since) or NOW))
  return granted(id, j, num(waited))
end

-- read leases up to count ready jobs. Entries without a valid job are replaced by others.
local function read(leases, consumer, count)
  while count > 0 do
    local streams = call('XREADGROUP', 'GROUP', GROUP, consumer, 'COUNT', num(count), 'STREAMS', STREAM, '>')
    if not streams then return end
    local odd = false
    for _, message in ipairs(streams[1][2]) do
      local lease = start(message[1], message[2][2], consumer)
      if lease then
        leases[#leases + 1] = lease
        count = count - 1
      else
        odd = true
      end
    end
    if not odd then return end
    dispatch_waiting()
  end
end

-- holds reads a job and reports whether the lease (consumer, attempt) is still
-- the current one.
local function holds(id, consumer, attempt)
  local j = job(id)
  return j and j.holder == consumer and j.attempt == attempt and j.entry ~= NONE, j
end

-- submitted returns the submission time of a job, its position in the backlog.
local function submitted(id)
  return call('ZSCORE', P .. 'open', id) or CLOCK
end

-- requeue makes a job wait for its next attempt.
local function requeue(id, j)
  j.since, j.dirty = CLOCK, true
  enqueue(id, j.tenant, submitted(id))
end

-- join adds the slots of a worker, and records when the worker was last seen. Limits that are
-- a percentage of the slots may become higher.
local function join(consumer, slots)
  call('ZADD', P .. 'seen', NOW, consumer)
  local known = call('HGET', P .. 'slots', consumer)
  if known ~= slots then
    call('HSET', P .. 'slots', consumer, slots)
    local m = load_meta()
    m.n, meta_dirty = m.n + tonumber(slots) - (tonumber(known) or 0), true
    for _, name in ipairs(call('ZRANGE', P .. 'parked', 0, 999)) do
      place(name, tenant(name))
    end
  end
end

-- remove_slots removes the slots of a worker.
local function remove_slots(consumer)
  call('ZREM', P .. 'seen', consumer)
  local known = call('HGET', P .. 'slots', consumer)
  if known then
    call('HDEL', P .. 'slots', consumer)
    local m = load_meta()
    m.n, meta_dirty = math.max(0, m.n - tonumber(known)), true
  end
end

-- move_due enqueues delayed jobs that are due. A due time that is further away than the longest
-- delay means that the clock was set back.
local FAR_MS = 600000

local function move_due(count)
  local due = call('ZRANGEBYSCORE', P .. 'delayed', '-inf', NOW, 'LIMIT', 0, count)
  for _, id in ipairs(call('ZRANGEBYSCORE', P .. 'delayed', NOW + FAR_MS, '+inf', 'LIMIT', 0, count)) do
    due[#due + 1] = id
  end
  for _, id in ipairs(due) do
    call('ZREM', P .. 'delayed', id)
    local j = job(id)
    if j and j.tenant ~= NONE then
      requeue(id, j)
    else
      dead_letter(id, nil, nil, 'MALFORMED')
    end
  end
end

-- reclaim requeues the jobs that workers have lost. A job that was delivered and not
-- started does not count as lost.
local function reclaim(lost)
  for _, pending in ipairs(lost) do
    local entry = pending[1]
    local message = call('XRANGE', STREAM, entry, entry)[1]
    local id = message and message[2][2]
    local j = id and job(id)
    if not j or j.entry ~= entry then
      drop(entry)
    elseif j.tenant == NONE then
      drop(entry)
      dead_letter(id, nil, nil, 'MALFORMED')
    else
      if j.holder ~= NONE then
        j.lost = num((tonumber(j.lost) or 0) + 1)
        call('INCR', P .. 'reclaimed')
      end
      release(j)
      requeue(id, j)
    end
  end
end

-- expire reclaims the jobs whose leases were not renewed.
local function expire(lease, count)
  local gone = call('XPENDING', STREAM, GROUP, 'IDLE', lease, '-', '+', count)
  reclaim(gone)
  return #gone
end

-- grace reports whether leases do not expire now. If no call has maintained the queue for
-- half a lease, Redis or the network was unavailable, or the clock was set, and live workers
-- could not renew. They get time for one renewal.
local function grace(lease)
  local m = load_maintenance()
  if m.x > NOW + lease then m.x = 0 end
  if m.x == 0 and m.j > 0 and math.abs(NOW - m.j) > lease / 2 then
    m.x = NOW + math.floor(lease * 2 / 5)
  end
  if NOW >= m.x then m.x = 0 end
  return m.x > 0
end

-- remove_absent removes the slots of workers that were not seen for two leases, or were last seen
-- before the clock was set back. A live worker joins again at once. Leases from before a
-- clock change would last as long as the change, so they are reclaimed.
local function remove_absent(lease)
  for _, consumer in ipairs(call('ZRANGEBYSCORE', P .. 'seen', '-inf', '(' .. num(NOW - 2 * lease))) do
    remove_slots(consumer)
  end
  for _, consumer in ipairs(call('ZRANGEBYSCORE', P .. 'seen', '(' .. num(NOW + lease), '+inf')) do
    remove_slots(consumer)
    -- Entries may seem to have been delivered in the future.
    reclaim(call('XPENDING', STREAM, GROUP, 'IDLE', -NOW, '-', '+', 100, consumer))
  end
end

-- recount corrects the number of dispatched jobs of each tenant, in case the stream was
-- changed manually.
local function recount()
  local counts = {}
  for _, message in ipairs(call('XRANGE', STREAM, '-', '+')) do
    local j = job(message[2][2])
    if j and j.entry == message[1] then counts[j.tenant] = (counts[j.tenant] or 0) + 1 end
  end
  for _, key in ipairs({ 'ring', 'parked' }) do
    for _, name in ipairs(call('ZRANGE', P .. key, 0, -1)) do
      counts[name] = counts[name] or 0
    end
  end
  for name, n in pairs(counts) do
    local t = tenant(name)
    if t.r ~= n then
      t.r, t.dirty = n, true
      place(name, t)
    end
  end
end

-- clean_up removes consumers that hold no job and were idle for a time, at most ten times in
-- that time. One script checks and removes a consumer, so the consumer cannot get a job between
-- the two. clean_up also recounts values that are otherwise only updated by differences.
local function clean_up(idle)
  local m = load_maintenance()
  if NOW >= m.g and NOW - m.g < idle / 10 then return end
  m.g, meta_dirty = NOW, true
  for _, flat in ipairs(call('XINFO', 'CONSUMERS', STREAM, GROUP)) do
    local consumer = {}
    for i = 1, #flat, 2 do
      consumer[flat[i]] = flat[i + 1]
    end
    if consumer.pending == 0 and consumer.idle > idle and not call('ZSCORE', P .. 'seen', consumer.name) then
      call('XGROUP', 'DELCONSUMER', STREAM, GROUP, consumer.name)
    end
  end
  m.n = 0
  for _, slots in ipairs(call('HVALS', P .. 'slots')) do
    m.n = m.n + (tonumber(slots) or 0)
  end
  recount()
  call('ZREMRANGEBYSCORE', P .. 'dead', '-inf', NOW - DEAD_MS)
end

-- maintain expires leases, removes absent workers and moves delayed jobs. The first worker
-- that calls it maintains the queue for all, twenty times in a lease, and more often while a
-- call reaches its limit.
local function maintain(lease, idle)
  local m = load_maintenance()
  if NOW >= m.j and NOW - m.j < lease / 20 then return end
  local full = false
  if not grace(lease) then
    full = expire(lease, 100) == 100
    remove_absent(lease)
  end
  m.j, meta_dirty = full and 0 or NOW, true
  clean_up(idle)
  move_due(100)
  dispatch_waiting()
end
