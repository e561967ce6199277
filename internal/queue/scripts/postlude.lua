if load_meta().format > FORMAT then
  -- A newer release keeps the queue: this one must not touch it.
  return redis.error_reply('PMFORMAT ' .. load_meta().format)
end
local reply = main()
flush()
return reply
