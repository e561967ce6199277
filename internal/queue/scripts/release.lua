-- Give a job back at once, as if it had not been taken: the worker is leaving.
-- KEYS stream job; ARGV id consumer attempt change(0|-1)
local ok, entry = holds(KEYS[2], ARGV[2], ARGV[3])
if not ok then
  return 0
end
drop(KEYS[1], entry)
local fresh = redis.call('XADD', KEYS[1], '*', 'id', ARGV[1])
redis.call('HSET', KEYS[2], 'holder', '', 'entry', fresh)
redis.call('HINCRBY', KEYS[2], 'attempt', ARGV[4])
return 1
