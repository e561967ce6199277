-- Renew leases, and maintain the queue.
-- ARGV prefix consumer slots lease-ms idle-ms {id attempt}...
-- Returns the ids of lost jobs.
local function main()
  -- This fails if the group is missing, before anything is changed.
  call('XPENDING', STREAM, GROUP, '-', '+', 1)
  local lost = {}
  for i = 6, #ARGV, 2 do
    local ok, j = holds(ARGV[i], ARGV[2], ARGV[i + 1])
    if ok then
      -- JUSTID resets the idle time and leaves the delivery counter alone.
      ok = #call('XCLAIM', STREAM, GROUP, ARGV[2], 0, j.entry, 'JUSTID') > 0
    end
    if not ok then
      lost[#lost + 1] = ARGV[i]
    end
  end
  join(ARGV[2], ARGV[3])
  maintain(tonumber(ARGV[4]), tonumber(ARGV[5]))
  dispatch_waiting()
  return lost
end
