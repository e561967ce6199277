-- Dispatch nothing for a while, and take back what no worker has yet; or go on.
-- ARGV prefix ms
local function main()
  local m, ms = load_meta(), tonumber(ARGV[2])
  if ms == 0 then
    m.u, meta_dirty = 0, true
    admit()
    return 0
  end
  m.u, meta_dirty = NOW + ms, true
  for _, message in ipairs(call('XRANGE', STREAM, '-', '+')) do
    local id = message[2][2]
    local job = read_job(id, 'entry', 'tenant', 'charged', 'holder')
    if job[1] == message[1] and job[2] and job[4] == '' then
      vacate(message[1], job[2], job[3], nil)
      again(id, job[2])
    end
  end
  return call('XLEN', STREAM)
end
