-- Return a job for a later attempt.
-- ARGV prefix id consumer attempt delay-ms
-- Returns 1, or 0 if another worker holds the job. A repeated call changes nothing.
local function main()
  local id = ARGV[2]
  local ok, j = holds(id, ARGV[3], ARGV[4])
  if not ok then
    return j and j.holder == NONE and j.attempt == ARGV[4] and 1 or 0
  end
  release(j)
  if tonumber(ARGV[5]) > 0 then
    call('ZADD', P .. 'delayed', NOW + tonumber(ARGV[5]), id)
    dispatch_waiting()
  else
    requeue(id, j)
  end
  return 1
end
