-- Remove a job in any state. The worker that holds the job detects the removal at the next renewal.
-- ARGV prefix id
local function main()
  local id = ARGV[2]
  local j = job(id)
  if j and j.tenant ~= NONE then
    if j.entry ~= NONE then
      release(j)
    else
      call('ZREM', P .. 'b:' .. j.tenant, id)
      call('ZREM', P .. 'delayed', id)
      local t = tenant(j.tenant)
      t.dirty, t.q = true, nil
      place(j.tenant, t)
    end
  end
  remove(id)
  dispatch_waiting()
  return j and 1 or 0
end
