-- Dispatch delayed jobs that are due.
-- KEYS stream delayed; ARGV job-prefix count
-- Returns the number moved.
local due = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now_ms(), 'LIMIT', 0, ARGV[2])
for _, id in ipairs(due) do
  redis.call('ZREM', KEYS[2], id)
  local key = ARGV[1] .. id
  if redis.call('EXISTS', key) == 1 then
    redis.call('HSET', key, 'entry', redis.call('XADD', KEYS[1], '*', 'id', id))
  end
end
return #due
