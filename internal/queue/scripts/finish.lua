-- Finish jobs of one consumer, and lease up to next more jobs.
-- ARGV prefix consumer next id attempt [id attempt...]
-- Returns {a digit for each job: 1 if the job is finished, by this call or before, 0 if
-- another worker holds the job; lease...}. A repeated call is safe. The script held finds
-- leases of a lost response.
local function main()
  local consumer, left, results = ARGV[2], false, ''
  for n = 4, #ARGV, 2 do
    local id = ARGV[n]
    local ok, j = holds(id, consumer, ARGV[n + 1])
    if ok then
      release(j)
      remove(id)
      left = true
    end
    results = results .. ((ok or not j) and '1' or '0')
  end
  local reply = { results }
  if left then dispatch_waiting() end
  read(reply, consumer, tonumber(ARGV[3]))
  return reply
end
