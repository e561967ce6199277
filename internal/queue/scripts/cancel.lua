-- Remove a job in any state. Its holder detects the removal at the next renewal.
-- ARGV prefix id
local function main()
  local id = ARGV[2]
  local j = job(id)
  if j and j.tenant ~= NONE then
    if j.entry ~= NONE then
      vacate(j)
    else
      call('ZREM', P .. 'b:' .. j.tenant, id)
      call('ZREM', P .. 'delayed', id)
      local t = tenant(j.tenant)
      t.dirty, t.q = true, nil
      place(j.tenant, t)
    end
  end
  forget(id)
  admit()
  return j and 1 or 0
end
