-- What each script begins with. It gets the stream as its key, for its slot, and the
-- prefix of all other keys as its first argument.
local STREAM, P = KEYS[1], ARGV[1]
local FORMAT = '1'
local call = redis.call

-- META is what is kept of the queue as a whole: the format of all keys, then v the
-- virtual time, c the mean time of a job, n the slots of all workers, u until when
-- nothing is dispatched; j when the queue was last tended, g when consumers were last
-- removed, x until when no lease runs out. Figures are whole numbers, kept as the
-- words of one text: a hash, and fractions, cost the server three times as much, and
-- to read a number costs more than to find its word. The format comes first in every
-- release.
local META = call('GET', P .. 'meta') or ''
if META ~= '' and string.sub(META, 1, #FORMAT + 1) ~= FORMAT .. ' ' then
  local format = tonumber(string.match(META, '^%d+'))
  if format and format > tonumber(FORMAT) then
    -- A newer release keeps the queue: this one must not touch it.
    return redis.error_reply('PMFORMAT ' .. format)
  end
end

-- The server's clock is the only clock: workers' and replicas' clocks differ. NOW is
-- in milliseconds, CLOCK the same as a text.
local TIME = call('TIME')
local NOW = TIME[1] * 1000 + math.floor(TIME[2] / 1000)
local CLOCK = string.format('%d', NOW)
