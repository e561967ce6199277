-- Renew leases.
-- KEYS stream; ARGV job-prefix consumer {id attempt}...
-- Returns the ids of those that are lost.
local lost = {}
for i = 3, #ARGV, 2 do
  local ok, entry = holds(ARGV[1] .. ARGV[i], ARGV[2], ARGV[i + 1])
  if ok then
    -- JUSTID resets the idle time and leaves the delivery counter alone.
    ok = #redis.call('XCLAIM', KEYS[1], GROUP, ARGV[2], 0, entry, 'JUSTID') > 0
  end
  if not ok then
    lost[#lost + 1] = ARGV[i]
  end
end
return lost
