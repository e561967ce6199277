-- The server's clock is the only clock: workers' and replicas' clocks differ.
local function now_ms()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

local GROUP = 'workers'

-- drop removes an entry from the stream for good.
local function drop(stream, entry)
  redis.call('XACK', stream, GROUP, entry)
  redis.call('XDEL', stream, entry)
end

-- start hands out the next attempt of the job behind a delivered entry. An
-- entry that its job does not know is a leftover and is dropped.
local function start(stream, prefix, entry, id, consumer)
  local key = prefix .. id
  if redis.call('HGET', key, 'entry') ~= entry then
    drop(stream, entry)
    return false
  end
  local attempt = redis.call('HINCRBY', key, 'attempt', 1)
  redis.call('HSET', key, 'holder', consumer)
  return { id, redis.call('HGET', key, 'tenant'), attempt, entry }
end

-- holds reports whether the lease (consumer, attempt) is still the current one.
local function holds(key, consumer, attempt)
  local held = redis.call('HMGET', key, 'holder', 'attempt', 'entry')
  return held[1] == consumer and held[2] == attempt, held[3]
end
