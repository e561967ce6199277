-- End a job.
-- KEYS stream open job; ARGV id consumer attempt
-- Returns 1 when the job is ended, by this call or before; 0 when someone else
-- holds it. Sending it twice is safe, so a lost reply can be repeated.
if redis.call('EXISTS', KEYS[3]) == 0 then
  return 1
end
local ok, entry = holds(KEYS[3], ARGV[2], ARGV[3])
if not ok then
  return 0
end
drop(KEYS[1], entry)
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3])
return 1
