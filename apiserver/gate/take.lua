-- Count a request by the generic cell rate algorithm.
-- KEYS paid-back-at; ARGV interval window, in microseconds
-- Returns allowed, remaining, reset and retry-after, as ratelimit.State has them.
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local interval, window = math.max(tonumber(ARGV[1]), 1), tonumber(ARGV[2])
-- No more than a window is owed: the clock may have been set back.
local paid = math.min(math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now), now + window)
local debt = paid + interval - now
if debt > window then
  return { 0, 0, paid - now, debt - window }
end
redis.call('SET', KEYS[1], string.format('%.0f', paid + interval), 'PX', math.ceil(debt / 1000))
return { 1, math.floor((window - debt) / interval), debt, 0 }
