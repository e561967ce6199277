-- Give a job back for later.
-- ARGV prefix id consumer attempt delay-ms
-- Returns 1, or 0 when someone else holds it. A repeated call finds the job
-- without a holder and changes nothing.
local function main()
  local id = ARGV[2]
  local ok, job = holds(id, ARGV[3], ARGV[4])
  if not ok then
    return job.known and job.holder == '' and job.attempt == ARGV[4] and 1 or 0
  end
  vacate(job.entry, job.tenant, job.charged, job.at)
  if tonumber(ARGV[5]) > 0 then
    call('HSET', P .. 'job:' .. id, 'holder', '', 'entry', '', 'at', '')
    call('ZADD', P .. 'delayed', NOW + tonumber(ARGV[5]), id)
    admit()
  else
    again(id, job.tenant)
  end
  return 1
end
