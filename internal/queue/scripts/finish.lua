-- End jobs of one consumer, and take as many next ones as it wants.
-- ARGV prefix consumer next id attempt [id attempt...]
-- Returns {a digit for each job: 1 when it is ended, by this call or before, 0 when
-- someone else holds it; lease...}. Sending it twice is safe but for leases, which
-- astray finds.
local function main()
  local consumer, left, results = ARGV[2], false, ''
  for n = 4, #ARGV, 2 do
    local id = ARGV[n]
    local ok, j = holds(id, consumer, ARGV[n + 1])
    if ok then
      vacate(j)
      forget(id)
      left = true
    end
    results = results .. ((ok or not j) and '1' or '0')
  end
  local reply = { results }
  if left then admit() end
  read(reply, consumer, tonumber(ARGV[3]))
  return reply
end
