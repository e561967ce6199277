-- Have a worker carry out what a person wants of a job: it goes before all that
-- wait, whoever has it now.
-- ARGV prefix id cancel|retry outcome, which is of a retry of what a worker has
-- Returns 1, or 0 for a job that is neither here nor put aside.
local function main()
  local id, key = ARGV[2], P .. 'job:' .. ARGV[2]
  local job = read_job(id, 'entry', 'tenant', 'charged', 'at', 'holder')
  local name = job[2]
  if name then
    if job[1] and job[1] ~= '' then
      if ARGV[3] == 'retry' and job[5] ~= '' then
        call('SET', P .. 'ordered:' .. id, ARGV[4], 'PX', 3600000)
        return 1
      end
      vacate(job[1], name, job[3], job[4])
    end
    call('ZREM', P .. 'b:' .. name, id)
    call('ZREM', P .. 'delayed', id)
    local t = tenant(name)
    t.q = nil
    place(name, t)
  else
    local dead = call('HMGET', P .. 'dead:' .. id, 'tenant', 'attempt')
    name = dead[1]
    if not name or name == '' then return 0 end
    call('ZREM', P .. 'dead', id)
    call('DEL', P .. 'dead:' .. id)
    call('HSET', key, 'tenant', name, 'attempt', dead[2], 'lost', '0')
    call('ZADD', P .. 'open', 'NX', NOW, id)
  end
  -- The attempt tells those who come later whether it was carried out.
  local order = ARGV[3] .. ':' .. (call('HGET', key, 'attempt') or '0')
  call('HSET', key, 'holder', '', 'entry', '', 'at', '', 'order', order, 'since', NOW)
  call('DEL', P .. 'ordered:' .. id)
  local t = tenant(name)
  dispatch(id, name, t)
  place(name, t)
  return 1
end
