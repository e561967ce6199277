-- The beginning of each script. The key is the stream, which selects the slot, and the
-- first argument is the prefix of all other keys.
local STREAM, P = KEYS[1], ARGV[1]
local FORMAT = '1'
local call = redis.call

-- META holds the state of the whole queue: the format of all keys, then
--   v  the virtual time
--   c  the mean time of a job, in microseconds
--   n  the slots of all workers
--   u  the end of a pause of dispatching
--   j  the time of the last maintenance
--   g  the time of the last removal of consumers
--   x  the time until which no lease expires
-- The values are whole numbers in one string, separated by spaces. A hash, and fractions,
-- cost the server three times as much. A number is parsed only if it is needed. In every
-- release, the format is first.
local META = call('GET', P .. 'meta') or ''
if META ~= '' and string.sub(META, 1, #FORMAT + 1) ~= FORMAT .. ' ' then
  local format = tonumber(string.match(META, '^%d+'))
  if format and format > tonumber(FORMAT) then
    -- A newer release has written the queue, so this one must not change it.
    return redis.error_reply('PMFORMAT ' .. format)
  end
end

-- The server's clock is the only clock: workers' and replicas' clocks differ. NOW is
-- in milliseconds, CLOCK the same as a text.
local TIME = call('TIME')
local NOW = TIME[1] * 1000 + math.floor(TIME[2] / 1000)
local CLOCK = string.format('%d', NOW)
