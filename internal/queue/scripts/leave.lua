-- Remove the slots of a worker that stops, and the worker itself if it holds no job.
-- ARGV prefix consumer
local function main()
  remove_slots(ARGV[2])
  if #call('XPENDING', STREAM, GROUP, '-', '+', 1, ARGV[2]) == 0 then
    call('XGROUP', 'DELCONSUMER', STREAM, GROUP, ARGV[2])
    return 1
  end
  return 0
end
