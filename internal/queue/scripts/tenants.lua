-- List the tenants whose jobs wait: {tenant, waiting, dispatched, weight, most}...
-- ARGV prefix
local function main()
  local rows = {}
  for _, key in ipairs({ 'ring', 'parked' }) do
    for _, name in ipairs(call('ZRANGE', P .. key, 0, -1)) do
      local t = tenant(name)
      rows[#rows + 1] = { name, call('ZCARD', P .. 'b:' .. name), num(t.r), num(t.w), num(t.m) }
    end
  end
  return rows
end
