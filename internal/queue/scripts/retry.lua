-- Give a job back for later.
-- KEYS stream delayed job; ARGV id consumer attempt delay-ms
-- Returns 1, or 0 when someone else holds it. A repeated call finds the job
-- without a holder and changes nothing.
local ok, entry = holds(KEYS[3], ARGV[2], ARGV[3])
if not ok then
  return redis.call('ZSCORE', KEYS[2], ARGV[1]) and 1 or 0
end
drop(KEYS[1], entry)
redis.call('HSET', KEYS[3], 'holder', '', 'entry', '')
redis.call('ZADD', KEYS[2], now_ms() + tonumber(ARGV[4]), ARGV[1])
return 1
