-- Forget a job, whoever holds it. Its worker learns it at the next renewal.
-- KEYS stream open delayed job; ARGV id
local entry = redis.call('HGET', KEYS[4], 'entry')
if not entry then
  return 0
end
if entry ~= '' then
  drop(KEYS[1], entry)
end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('DEL', KEYS[4])
return 1
