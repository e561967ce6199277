-- List the jobs that a worker holds, after a response to the worker was lost. Delivered
-- jobs that were not started are started.
-- ARGV prefix consumer
local function main()
  local leases = {}
  for _, pending in ipairs(call('XPENDING', STREAM, GROUP, '-', '+', 1000, ARGV[2])) do
    local entry = pending[1]
    local message = call('XRANGE', STREAM, entry, entry)[1]
    local id = message and message[2][2]
    local j = id and job(id)
    if j and j.entry == entry and j.holder == ARGV[2] then
      leases[#leases + 1] = granted(id, j, '0')
    elseif id then
      leases[#leases + 1] = start(entry, id, ARGV[2])
    else
      drop(entry)
    end
  end
  dispatch_waiting()
  return leases
end
