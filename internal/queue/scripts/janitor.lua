-- Remove consumers that hold nothing and have not been seen for long. Checking
-- and removing in one script leaves no gap in which one could be handed a job.
-- KEYS stream; ARGV idle-ms
-- Returns the number removed.
local removed = 0
for _, flat in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], GROUP)) do
  local consumer = {}
  for i = 1, #flat, 2 do
    consumer[flat[i]] = flat[i + 1]
  end
  if consumer.pending == 0 and consumer.idle > tonumber(ARGV[1]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], GROUP, consumer.name)
    removed = removed + 1
  end
end
return removed
