-- List the state of tenants: {tenant, waiting, dispatched, weight, limit}...
-- ARGV prefix tenant...
local function main()
  local rows = {}
  for i = 2, #ARGV do
    local t = tenant(ARGV[i])
    rows[i - 1] = { ARGV[i], call('ZCARD', P .. 'b:' .. ARGV[i]), num(t.r), num(t.w), num(t.m) }
  end
  return rows
end
