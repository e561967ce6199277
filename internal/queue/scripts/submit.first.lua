-- The fast path for a new job of a tenant that has a backlog, with the same weight and limit: the
-- job joins the backlog, and nothing else changes. There is no room for the job, because
-- others wait.
do
  local id, name, weight = ARGV[2], ARGV[3], ARGV[5]
  local kept = weight == '0' or string.find(call('GET', P .. 't:' .. name) or '', weight .. ' ' .. ARGV[6] .. ' ', 1, true) == 1
  if kept and call('ZCARD', P .. 'b:' .. name) > 0
    -- The values are those of record, in the prelude.
    and call('SET', P .. 'job:' .. id, ARGV[4] .. ' 0 ' .. CLOCK .. ' ' .. name .. ' - 0 - - -', 'NX') then
    local at = CLOCK
    if call('ZADD', P .. 'open', 'NX', at, id) == 0 then at = call('ZSCORE', P .. 'open', id) end
    if call('ZREM', P .. 'dead', id) == 1 then call('DEL', P .. 'dead:' .. id) end
    call('ZADD', P .. 'b:' .. name, at, id)
    return 1
  end
end
