-- Put a job aside, for a person to look at.
-- ARGV prefix id consumer attempt reason
-- Returns 1, or 0 when someone else holds it.
local function main()
  local id = ARGV[2]
  local ok, j = holds(id, ARGV[3], ARGV[4])
  if not ok then
    return not j and call('ZSCORE', P .. 'dead', id) and 1 or 0
  end
  vacate(j)
  bury(id, j.tenant, ARGV[4], ARGV[5])
  admit()
  return 1
end
