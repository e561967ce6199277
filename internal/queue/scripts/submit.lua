-- Take a job in unless it is here already.
-- ARGV prefix id tenant attempt weight most; weight is 0 where the share is not
-- known.
-- Returns 1 when it was added, 0 when it was known. A job that is known and can
-- be found nowhere was lost in part, by hand or by another's fault, and is added
-- again.
local function main()
  local id, name, attempt, weight = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
  local t = tenant(name)
  if weight > 0 and (t.fresh or t.w ~= weight or t.m ~= tonumber(ARGV[6])) then
    t.w, t.m, t.dirty = weight, tonumber(ARGV[6]), true
    if not t.fresh then
      call('ZREM', P .. 'parked', name)
      place(name, t)
    end
  end
  local known = read_job(id, 'entry', 'attempt', 'tenant')
  local seen, entry = tonumber(known[2]), known[1] or ''
  local key = P .. 'job:' .. id
  local found = entry ~= '' and call('XRANGE', STREAM, entry, entry)[1]
  local listed = found and found[2][2] == id
  if seen and known[3] then
    -- Attempts never run backwards: a store that remembers more than Redis wins.
    if seen < attempt then call('HSET', key, 'attempt', attempt) end
    attempt = math.max(attempt, seen)
    local waiting = entry == '' and call('ZSCORE', P .. 'b:' .. known[3], id)
    if listed or waiting or entry == '' and call('ZSCORE', P .. 'delayed', id) then
      -- Whatever else was lost of it is put back.
      call('ZADD', P .. 'open', 'NX', NOW, id)
      if waiting then
        place(known[3], tenant(known[3]))
        admit()
      end
      return 0
    end
  end
  if entry ~= '' then
    -- It was dispatched, and is not any more or not in a form to be done.
    if listed then drop(entry) end
    call('HDEL', key, 'at')
    t.r, t.dirty = math.max(0, t.r - 1), true
    place(name, t)
  end
  call('HSET', key, 'tenant', name, 'attempt', attempt, 'holder', '', 'entry', '', 'lost', '0', 'since', NOW)
  local at = call('ZADD', P .. 'open', 'NX', NOW, id) == 1 and NOW or submitted(id)
  if call('ZREM', P .. 'dead', id) == 1 then call('DEL', P .. 'dead:' .. id) end
  if not seen and not known[1] and not t.dirty and waits(name, t) then
    -- There is no room, or others of its tenant would not wait.
    call('ZADD', P .. 'b:' .. name, at, id)
    return 1
  end
  enqueue(id, name, at)
  return 1
end
