-- Stop dispatching for a time, and take back dispatched jobs that no worker has started. With
-- 0 ms, resume.
-- ARGV prefix ms
local function main()
  local m, ms = load_meta(), tonumber(ARGV[2])
  if ms == 0 then
    m.u, meta_dirty = 0, true
    dispatch_waiting()
    return 0
  end
  m.u, meta_dirty = NOW + ms, true
  for _, message in ipairs(call('XRANGE', STREAM, '-', '+')) do
    local id = message[2][2]
    local j = job(id)
    if j and j.entry == message[1] and j.tenant ~= NONE and j.holder == NONE then
      release(j)
      requeue(id, j)
    end
  end
  return call('XLEN', STREAM)
end
