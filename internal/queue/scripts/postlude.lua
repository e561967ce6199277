local newer = newer_format()
if newer then
  return redis.error_reply('PMFORMAT ' .. newer)
end
local reply = main()
flush()
return reply
