-- Note that an order has been carried out.
-- ARGV prefix id consumer attempt
local function main()
  local ok = holds(ARGV[2], ARGV[3], ARGV[4])
  if not ok then return 0 end
  call('HDEL', P .. 'job:' .. ARGV[2], 'order')
  return 1
end
