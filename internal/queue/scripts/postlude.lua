local reply = main()
flush()
return reply
