-- Forget a job, whoever holds it. Its worker learns it at the next renewal.
-- ARGV prefix id
local function main()
  local id = ARGV[2]
  local job = read_job(id, 'entry', 'tenant', 'charged', 'at')
  if job[1] and job[1] ~= '' and job[2] then
    vacate(job[1], job[2], job[3], job[4])
  elseif job[2] then
    call('ZREM', P .. 'b:' .. job[2], id)
    call('ZREM', P .. 'delayed', id)
    local t = tenant(job[2])
    t.dirty, t.q = true, nil
    place(job[2], t)
  end
  forget(id)
  admit()
  return job[1] and 1 or 0
end
