-- List what a worker holds, after an answer to it was lost. What was delivered
-- to it and never started is started.
-- ARGV prefix consumer
local function main()
  local leases = {}
  for _, pending in ipairs(call('XPENDING', STREAM, GROUP, '-', '+', 1000, ARGV[2])) do
    local entry = pending[1]
    local message = call('XRANGE', STREAM, entry, entry)[1]
    local id = message and message[2][2]
    local job = id and read_job(id, 'entry', 'holder', 'tenant', 'attempt', 'lost', 'order') or {}
    if job[1] == entry and job[2] == ARGV[2] then
      leases[#leases + 1] = { id, job[3], job[4], job[5] or '0', '0', job[6] or '', entry }
    elseif id then
      leases[#leases + 1] = start(entry, id, ARGV[2])
    else
      drop(entry)
    end
  end
  admit()
  return leases
end
