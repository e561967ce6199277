-- Dispatch a job unless it is dispatched already.
-- KEYS stream open delayed job; ARGV id tenant attempt
-- Returns 1 when it was added, 0 when it was known. A job that is known and can
-- be found neither in the stream nor among the delayed was lost with one of
-- them, by eviction or by hand, and is added again.
local entry = redis.call('HGET', KEYS[4], 'entry')
if entry then
  -- Attempts never run backwards: a store that remembers more than Redis wins.
  if tonumber(redis.call('HGET', KEYS[4], 'attempt')) < tonumber(ARGV[3]) then
    redis.call('HSET', KEYS[4], 'attempt', ARGV[3])
  end
  if entry ~= '' and #redis.call('XRANGE', KEYS[1], entry, entry) > 0 then
    return 0
  end
  if entry == '' and redis.call('ZSCORE', KEYS[3], ARGV[1]) then
    return 0
  end
else
  redis.call('HSET', KEYS[4], 'tenant', ARGV[2], 'attempt', ARGV[3])
end
redis.call('HSET', KEYS[4], 'holder', '', 'entry', redis.call('XADD', KEYS[1], '*', 'id', ARGV[1]))
redis.call('ZADD', KEYS[2], 'NX', now_ms(), ARGV[1])
return 1
