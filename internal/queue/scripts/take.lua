-- Lease up to free jobs.
-- ARGV prefix consumer slots free lease-ms idle-ms
-- Returns {ms until a delayed job is due, or -1; lease...}.
local function main()
  local consumer, free, lease = ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
  -- This fails if the group is missing, before anything is changed.
  call('XPENDING', STREAM, GROUP, '-', '+', 1)
  join(consumer, ARGV[3])
  maintain(lease, tonumber(ARGV[6]))
  dispatch_waiting()
  local leases = { -1 }
  read(leases, consumer, free)
  if #leases == 1 then
    local due = tonumber(call('ZRANGE', P .. 'delayed', 0, 0, 'WITHSCORES')[2])
    if due and due <= NOW then
      -- The last maintenance was just before the job was due.
      move_due(100)
      read(leases, consumer, free)
    elseif due then
      leases[1] = due - NOW
    end
  end
  return leases
end
