-- List jobs in the order in which they were submitted, from an offset on.
-- ARGV prefix offset count; or prefix 'job' id
-- Returns rows: {id submitted tenant attempt state holder lost since due order}.
local function row(id, at)
  local job = read_job(id, 'tenant', 'attempt', 'entry', 'holder', 'lost', 'since', 'order')
  local due = call('ZSCORE', P .. 'delayed', id)
  local state = 'waiting'
  if due then
    state = 'delayed'
  elseif job[4] and job[4] ~= '' then
    state = 'held'
  elseif job[3] and job[3] ~= '' then
    state = 'ready'
  end
  return { id, at, job[1] or '', job[2] or '0', state, job[4] or '', job[5] or '0', job[6] or '0', due or '0', job[7] or '' }
end

local function main()
  local rows = {}
  if ARGV[2] == 'job' then
    local at = call('ZSCORE', P .. 'open', ARGV[3])
    if at then rows[1] = row(ARGV[3], at) end
    return rows
  end
  local open = call('ZRANGE', P .. 'open', ARGV[2], ARGV[2] + ARGV[3] - 1, 'WITHSCORES')
  for i = 1, #open, 2 do
    rows[#rows + 1] = row(open[i], open[i + 1])
  end
  return rows
end
