-- Dispatch a job unless it is dispatched already.
-- KEYS stream open job; ARGV id tenant attempt
-- Returns 1 when it was added, 0 when it was known.
if redis.call('EXISTS', KEYS[3]) == 1 then
  -- Attempts never run backwards: a store that remembers more than Redis wins.
  if tonumber(redis.call('HGET', KEYS[3], 'attempt')) < tonumber(ARGV[3]) then
    redis.call('HSET', KEYS[3], 'attempt', ARGV[3])
  end
  return 0
end
local entry = redis.call('XADD', KEYS[1], '*', 'id', ARGV[1])
redis.call('HSET', KEYS[3], 'tenant', ARGV[2], 'attempt', ARGV[3], 'holder', '', 'entry', entry)
redis.call('ZADD', KEYS[2], now_ms(), ARGV[1])
return 1
