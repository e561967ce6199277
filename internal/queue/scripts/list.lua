-- List jobs in the order of their submission, from an offset on.
-- ARGV prefix offset count; or prefix 'job' id...
-- Returns rows: {id submitted tenant attempt state holder lost since due order}.
local function row(id, at)
  local j = job(id) or record(NONE, '0')
  local due = call('ZSCORE', P .. 'delayed', id)
  local state = 'waiting'
  if due then
    state = 'delayed'
  elseif j.holder ~= NONE then
    state = 'held'
  elseif j.entry ~= NONE then
    state = 'ready'
  end
  return { id, at, j.tenant, j.attempt, state, j.holder, j.lost, j.since, due or '0', j.order }
end

local function main()
  local rows = {}
  if ARGV[2] == 'job' then
    for i = 3, #ARGV do
      local at = call('ZSCORE', P .. 'open', ARGV[i])
      if at then rows[#rows + 1] = row(ARGV[i], at) end
    end
    return rows
  end
  local open = call('ZRANGE', P .. 'open', ARGV[2], ARGV[2] + ARGV[3] - 1, 'WITHSCORES')
  for i = 1, #open, 2 do
    rows[#rows + 1] = row(open[i], open[i + 1])
  end
  return rows
end
