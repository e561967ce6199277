-- Take over entries whose lease has run out.
-- KEYS stream; ARGV job-prefix consumer lease-ms count
local claimed = redis.call('XAUTOCLAIM', KEYS[1], GROUP, ARGV[2], ARGV[3], '0-0', 'COUNT', ARGV[4])
local leases = {}
for _, entry in ipairs(claimed[2]) do
  -- A deleted entry can be listed without fields by old servers.
  if entry and entry[2] then
    local lease = start(KEYS[1], ARGV[1], entry[1], entry[2][2], ARGV[2])
    if lease then
      leases[#leases + 1] = lease
    end
  end
end
return leases
