-- End a job, and take the next one.
-- ARGV prefix id consumer attempt next(0|1)
-- Returns {1 when the job is ended, by this call or before, 0 when someone else
-- holds it; lease...}. Sending it twice is safe but for the lease, which astray
-- finds.
local function main()
  local id, consumer = ARGV[2], ARGV[3]
  local ok, j = holds(id, consumer, ARGV[4])
  local reply = { 1 }
  if ok then
    vacate(j)
    forget(id)
  elseif j then
    reply[1] = 0
  end
  if ok then admit() end
  if ARGV[5] == '1' then read(reply, consumer, 1) end
  return reply
end
