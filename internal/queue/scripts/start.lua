-- Begin the jobs of entries that were just delivered.
-- KEYS stream; ARGV job-prefix consumer {entry id}...
local leases = {}
for i = 3, #ARGV, 2 do
  local lease = start(KEYS[1], ARGV[1], ARGV[i], ARGV[i + 1], ARGV[2])
  if lease then
    leases[#leases + 1] = lease
  end
end
return leases
