-- Do what time makes necessary.
-- ARGV prefix lease-ms idle-ms
local function main()
  tend(tonumber(ARGV[2]), tonumber(ARGV[3]))
  return 1
end
