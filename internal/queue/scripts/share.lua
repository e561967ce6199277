-- Set the share of a tenant whose jobs wait.
-- ARGV prefix tenant weight most
local function main()
  local t = tenant(ARGV[2])
  t.w, t.m, t.dirty = tonumber(ARGV[3]), tonumber(ARGV[4]), true
  call('ZREM', P .. 'parked', ARGV[2])
  place(ARGV[2], t)
  admit()
  return 1
end
