-- Give a job back for later.
-- ARGV prefix id consumer attempt delay-ms
-- Returns 1, or 0 when someone else holds it. A repeated call finds the job
-- without a holder and changes nothing.
local function main()
  local id = ARGV[2]
  local ok, j = holds(id, ARGV[3], ARGV[4])
  if not ok then
    return j and j.holder == NONE and j.attempt == ARGV[4] and 1 or 0
  end
  vacate(j)
  if tonumber(ARGV[5]) > 0 then
    call('ZADD', P .. 'delayed', NOW + tonumber(ARGV[5]), id)
    admit()
  else
    again(id, j)
  end
  return 1
end
