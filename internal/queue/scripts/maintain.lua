-- Maintain the queue.
-- ARGV prefix lease-ms idle-ms
local function main()
  maintain(tonumber(ARGV[2]), tonumber(ARGV[3]))
  return 1
end
