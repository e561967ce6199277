-- Record that an operator's order was executed, with its outcome.
-- ARGV prefix id consumer attempt outcome
local function main()
  local ok, j = holds(ARGV[2], ARGV[3], ARGV[4])
  if not ok then return 0 end
  j.order, j.dirty = NONE, true
  call('SET', P .. 'ordered:' .. ARGV[2], ARGV[5], 'PX', 3600000)
  return 1
end
