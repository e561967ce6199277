-- Set the weight and the limit of a tenant.
-- ARGV prefix tenant weight most
local function main()
  local t = tenant(ARGV[2])
  t.w, t.m, t.dirty = tonumber(ARGV[3]), tonumber(ARGV[4]), true
  call('ZREM', P .. 'parked', ARGV[2])
  place(ARGV[2], t)
  dispatch_waiting()
  return 1
end
