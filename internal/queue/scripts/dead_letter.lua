-- Make a job a dead letter, for an operator to inspect.
-- ARGV prefix id consumer attempt reason
-- Returns 1, or 0 if another worker holds the job.
local function main()
  local id = ARGV[2]
  local ok, j = holds(id, ARGV[3], ARGV[4])
  if not ok then
    return not j and call('ZSCORE', P .. 'dead', id) and 1 or 0
  end
  release(j)
  dead_letter(id, j.tenant, ARGV[4], ARGV[5])
  dispatch_waiting()
  return 1
end
