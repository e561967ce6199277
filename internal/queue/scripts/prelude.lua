-- What scripts share. A script defines main(); what main changes of the queue, the
-- tenants and the jobs is written once, when it has returned. Of what is here a script
-- gets that which it uses: a block is a comment and a definition that begins and ends
-- at the margin.
local GROUP = 'workers'

-- A job costs its tenant the time in microseconds that it takes its worker. Until
-- it has been done it is charged with what the tenant's jobs took so far, or with
-- this.
local FIRST_COST = 100000
local DEFAULT_WEIGHT = 10
-- No job takes longer; a clock that was set forward makes it seem so.
local LONGEST_MS = 600000
-- A tenant without jobs keeps its place in virtual time for this long.
local REMEMBER_MS = 600000

-- num writes a whole number, so that no server shortens it in an answer. Commands
-- take numbers as they are, but write them as fractions first, which costs more than
-- many a command: what is called for each job gets texts.
local function num(x)
  return string.format('%d', x)
end

-- load_meta reads the figures of META.
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

-- tended is meta with what only tending needs.
local function tended()
  local m = load_meta()
  if not m.j then
    local j, g, x = string.match(m.rest, '^(%d+) (%d+) (%d+)$')
    m.j, m.g, m.x = tonumber(j) or 0, tonumber(g) or 0, tonumber(x) or 0
  end
  return m
end

-- tenant reads the figures of a tenant: w its weight, m the most of its jobs
-- that may be dispatched (0: any number), r those that are, f where its next job
-- begins in virtual time, c the mean time of its jobs; q the length of its backlog
-- once it was asked for, dirty that there is something to write.
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

-- waits reports whether a tenant has a backlog. It asks once; who adds to a
-- backlog or takes from it counts.
local function waits(name, t)
  t.q = t.q or call('ZCARD', P .. 'b:' .. name)
  return t.q > 0
end

-- limit is how many jobs of a tenant may be dispatched, 0 for any number. What exceeds
-- PART is the percentage of all slots, of which a tenant gets one at least.
local PART = 1000000

local function limit(t)
  if t.m <= PART then return t.m end
  return math.max(1, math.floor(load_meta().n * (t.m - PART) / 100))
end

-- full reports whether a tenant has as many jobs dispatched as it may.
local function full(t)
  local most = limit(t)
  return most > 0 and t.r >= most
end

-- place puts a tenant where it belongs: in the ring if its next job may be
-- dispatched, aside if it has as many as it may, nowhere if none waits.
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

-- A job is the words of one text: its last attempt; how often a worker lost it; since
-- when it waits or last waited; whose it is; its entry in the stream, and what its
-- tenant was charged for that; who holds it, and since when; what a person wants of it.
local NONE = '-'

local function words(j)
  return j.attempt .. ' ' .. j.lost .. ' ' .. j.since .. ' ' .. j.tenant .. ' ' .. j.entry .. ' ' ..
    j.charged .. ' ' .. j.holder .. ' ' .. j.at .. ' ' .. j.order
end

-- record makes a job that waits.
local function record(name, attempt)
  return {
    attempt = attempt, lost = '0', since = CLOCK, tenant = name, entry = NONE, charged = '0', holder = NONE,
    at = NONE, order = NONE,
  }
end

-- UNREADABLE is the attempt of a job that cannot be read, because another program wrote it.
local UNREADABLE = '?'

-- jobs are those that were read; false is a job that is not known, dirty that there is
-- something to write.
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

-- flush writes what was changed.
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

-- length is that of the stream, once it was asked for.
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

-- room is how many jobs may be dispatched: as many as there are slots. A job in
-- the stream is with a worker, or there is one that waits for it, so that what
-- waits here waits in the order of fairness.
local function room()
  local m = load_meta()
  if m.u > NOW then return 0 end
  length = length or call('XLEN', STREAM)
  return m.n - length
end

-- admit dispatches what waits, while there is room, from the tenant that is
-- farthest behind in virtual time.
local function admit()
  local free = room()
  while free > 0 do
    local head = call('ZRANGE', P .. 'ring', '0', '0', 'WITHSCORES')
    local name = head[1]
    if not name then return end
    local m, t = load_meta(), tenant(name)
    -- A part of the slots may have become smaller since the tenant was placed.
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

-- enqueue lets a known job wait for its turn, or dispatches it at once if no job waits
-- and there is room.
local function enqueue(id, name, submitted)
  local t, free = tenant(name), room() > 0
  if free and not full(t) and call('ZCARD', P .. 'ring') == 0 and not waits(name, t) then
    dispatch(id, name, t)
    return
  end
  call('ZADD', P .. 'b:' .. name, submitted, id)
  t.q = call('ZCARD', P .. 'b:' .. name)
  -- One more changes nothing of the place of a tenant whose jobs wait.
  if t.q == 1 then
    t.dirty = true
    place(name, t)
  end
  if free then admit() end
end

-- drop removes an entry from the stream for good.
local function drop(entry)
  call('XACK', STREAM, GROUP, entry)
  local gone = call('XDEL', STREAM, entry)
  if length then length = length - gone end
end

-- vacate takes a dispatched job off the stream, and charges its tenant with the
-- time that it really took instead of the time that was expected. A job that no
-- worker has, has no beginning, and took none.
local function vacate(j)
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

-- forget removes the last of a job.
local function forget(id)
  jobs[id] = false
  call('ZREM', P .. 'open', id)
  call('DEL', P .. 'job:' .. id)
end

-- bury puts a job aside, for a person to look at.
local DEAD_MOST, DEAD_MS = 10000, 30 * 24 * 3600 * 1000

local function bury(id, name, attempt, reason)
  local submitted, j = call('ZSCORE', P .. 'open', id), job(id)
  forget(id)
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

-- granted is a lease for its holder, in the words that lease.go reads.
local function granted(id, j, waited)
  return id .. ' ' .. j.tenant .. ' ' .. j.attempt .. ' ' .. j.lost .. ' ' .. waited .. ' ' .. j.order
end

-- start hands out the next attempt of the job behind a delivered entry. An
-- entry that its job does not know is a leftover.
local function start(entry, id, consumer)
  local j = job(id)
  if not j or j.entry ~= entry then
    drop(entry)
    return nil
  end
  local name, attempt = j.tenant, tonumber(j.attempt)
  if name == NONE or not attempt then
    if name ~= NONE then vacate(j) else drop(entry) end
    bury(id, name, attempt, 'MALFORMED')
    return nil
  end
  j.attempt, j.holder, j.at, j.dirty = num(attempt + 1), consumer, CLOCK, true
  local waited = math.max(0, NOW - (tonumber(j.since) or NOW))
  return granted(id, j, num(waited))
end

-- read hands out up to count jobs that are ready. What turns out to be no job
-- makes room for others.
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
    admit()
  end
end

-- holds reads a job and reports whether the lease (consumer, attempt) is still
-- the current one.
local function holds(id, consumer, attempt)
  local j = job(id)
  return j and j.holder == consumer and j.attempt == attempt and j.entry ~= NONE, j
end

-- submitted is when a job was submitted, which is its place in the backlog.
local function submitted(id)
  return call('ZSCORE', P .. 'open', id) or CLOCK
end

-- again makes a job wait for its next attempt.
local function again(id, j)
  j.since, j.dirty = CLOCK, true
  enqueue(id, j.tenant, submitted(id))
end

-- join counts the slots of a worker, and notes that it lives.
-- Tenants that have their part of the slots may now have a larger one.
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

-- part takes the slots of a worker away.
local function part(consumer)
  call('ZREM', P .. 'seen', consumer)
  local known = call('HGET', P .. 'slots', consumer)
  if known then
    call('HDEL', P .. 'slots', consumer)
    local m = load_meta()
    m.n, meta_dirty = math.max(0, m.n - tonumber(known)), true
  end
end

-- move dispatches delayed jobs that are due. One that is due later than any delay
-- is long was delayed before the clock was set back.
local FAR_MS = 600000

local function move(count)
  local due = call('ZRANGEBYSCORE', P .. 'delayed', '-inf', NOW, 'LIMIT', 0, count)
  for _, id in ipairs(call('ZRANGEBYSCORE', P .. 'delayed', NOW + FAR_MS, '+inf', 'LIMIT', 0, count)) do
    due[#due + 1] = id
  end
  for _, id in ipairs(due) do
    call('ZREM', P .. 'delayed', id)
    local j = job(id)
    if j and j.tenant ~= NONE then
      again(id, j)
    else
      bury(id, nil, nil, 'MALFORMED')
    end
  end
end

-- reclaim takes back the jobs that workers have lost. A job that was delivered and never
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
      bury(id, nil, nil, 'MALFORMED')
    else
      if j.holder ~= NONE then
        j.lost = num((tonumber(j.lost) or 0) + 1)
        call('INCR', P .. 'reclaimed')
      end
      vacate(j)
      again(id, j)
    end
  end
end

-- expire takes jobs from workers that have not renewed their leases.
local function expire(lease, count)
  local gone = call('XPENDING', STREAM, GROUP, 'IDLE', lease, '-', '+', count)
  reclaim(gone)
  return #gone
end

-- grace reports whether leases are kept: if no call has maintained the queue for half a
-- lease, Redis or the network was unavailable, or the clock was set, and live workers
-- could not renew either. They get the time to do so, once.
local function grace(lease)
  local m = tended()
  if m.x > NOW + lease then m.x = 0 end
  if m.x == 0 and m.j > 0 and math.abs(NOW - m.j) > lease / 2 then
    m.x = NOW + math.floor(lease * 2 / 5)
  end
  if NOW >= m.x then m.x = 0 end
  return m.x > 0
end

-- absent takes away the slots of workers that were not heard of for two leases, or
-- since the clock was set back: one that lives comes back at once. Of the latter the
-- leases would last for as long as the clock was set back.
local function absent(lease)
  for _, consumer in ipairs(call('ZRANGEBYSCORE', P .. 'seen', '-inf', '(' .. num(NOW - 2 * lease))) do
    part(consumer)
  end
  for _, consumer in ipairs(call('ZRANGEBYSCORE', P .. 'seen', '(' .. num(NOW + lease), '+inf')) do
    part(consumer)
    -- Entries may seem to have been delivered in the future.
    reclaim(call('XPENDING', STREAM, GROUP, 'IDLE', -NOW, '-', '+', 100, consumer))
  end
end

-- recount counts the dispatched jobs of each tenant, in case the stream was changed
-- manually.
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

-- janitor removes consumers that hold nothing and were gone for long, now and
-- then. Checking and removing in one script leaves no gap in which one could be
-- handed a job. It recounts values that are otherwise only updated by differences.
local function janitor(idle)
  local m = tended()
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

-- tend does what time makes necessary, for all workers by the first that comes:
-- twenty times in a lease, or as long as there is more than it does at a time.
local function tend(lease, idle)
  local m = tended()
  if NOW >= m.j and NOW - m.j < lease / 20 then return end
  local full = false
  if not grace(lease) then
    full = expire(lease, 100) == 100
    absent(lease)
  end
  m.j, meta_dirty = full and 0 or NOW, true
  janitor(idle)
  move(100)
  admit()
end
