-- Start the jobs of delivered entries.
-- ARGV prefix consumer {entry id}...
local function main()
  local leases = {}
  for i = 3, #ARGV, 2 do
    leases[#leases + 1] = start(ARGV[i], ARGV[i + 1], ARGV[2])
  end
  if #leases < (#ARGV - 2) / 2 then dispatch_waiting() end
  return leases
end
