/** A call of every route of the memory store, in an order in which each finds what it asks for. */
export const memoryCalls = `
POST /ms/_flushdb
POST /ms/s {"value":"text"}
POST /ms/_set/s {"value":"ohmytext","get":true}
POST /ms/_set/t {"value":"mynewtext"}
POST /ms/_append/s {"value":"!"}
GET /ms/s
GET /ms/_get/none
POST /ms/_getex/s {"ex":100}
POST /ms/_set/gone {"value":"x"}
POST /ms/_getdel/gone
GET /ms/_getrange/s/0/2
GET /ms/_substr/s/0/2
POST /ms/_getset/s {"value":"ohmytext"}
POST /ms/_incr/n
POST /ms/_incrby/n {"value":5}
POST /ms/_incrbyfloat/f {"value":0.5}
POST /ms/_decr/n
POST /ms/_decrby/n {"value":2}
POST /ms/_incrby/big {"value":"9007199254740993"}
GET /ms/_lcs/s/t
GET /ms/_lcs/s/t?len=true
GET /ms/_lcs/s/t?idx=true
GET /ms/_mget/s?keys=none
GET /ms/_mget?keys=s&keys=none
POST /ms/_mset/m1 {"value":1}
POST /ms/_mset {"values":{"m2":2}}
POST /ms/_msetnx {"values":["m3",3]}
POST /ms/_msetnx/m3 {"value":4}
POST /ms/_psetex/p1 {"milliseconds":100000,"value":"x"}
POST /ms/_psetex?_id=p2 {"milliseconds":100000,"value":"x"}
POST /ms/_setex/p3 {"seconds":100,"value":"x"}
POST /ms/_setnx/p3 {"value":"y"}
POST /ms/_set/p3 {"value":"y","nx":true}
POST /ms/_setrange/s {"offset":1,"value":"H"}
GET /ms/_strlen/s
GET /ms/_bitcount/s
GET /ms/_bitcount/s?start=0&end=0&unit=BYTE
POST /ms/_bitfield/b {"operations":[["OVERFLOW","FAIL"],["INCRBY","u2",100,1],["SET","u2",0,9]]}
GET /ms/_bitfield_ro/b?operations=GET&operations=u2&operations=100
POST /ms/_bitop {"operation":"AND","destkey":"bo","keys":["s","t"]}
POST /ms/_bitop/OR/bo {"keys":["s","t"]}
POST /ms/_bitop/NOT/bo/s
GET /ms/_bitpos/s/1?start=0
GET /ms/_getbit/s/1
POST /ms/_setbit/b {"offset":7,"value":1}
POST /ms/_copy/s {"destination":"s2"}
DELETE /ms/s2
DELETE /ms {"keys":["m1","none"]}
DELETE /ms/_del/m2
GET /ms/_dump/t
GET /ms/_dump/none
GET /ms/_exists/t
GET /ms/_exists?keys=t&keys=none
POST /ms/_expire/t {"seconds":1000}
POST /ms/_expireat/t {"timestamp":4102444800}
GET /ms/_expiretime/t
POST /ms/_pexpire/t {"milliseconds":1000000}
POST /ms/_pexpireat/t {"timestamp":4102444800000}
GET /ms/_pexpiretime/t
GET /ms/_pttl/t
GET /ms/_ttl/none
POST /ms/_persist/t
GET /ms/_keys/*
GET /ms/_object?subcommand=encoding&args=s
GET /ms/_object?subcommand=idletime&args=s
GET /ms/_randomkey
POST /ms/_rename/m3 {"newkey":"m4"}
POST /ms/_renamenx/m4 {"newkey":"s"}
400 POST /ms/_restore/r {"ttl":0,"content":"bm9wZQ=="}
POST /ms/_touch/s {"keys":["t"]}
POST /ms/_touch {"keys":["t"]}
GET /ms/_type/s
DELETE /ms/_unlink/m4
DELETE /ms/_unlink {"keys":["none"]}
POST /ms/_rpush/l {"values":[3,1,2,2,5,6,7,8]}
POST /ms/_lpush/l {"value":0}
POST /ms/_rpushx/l {"value":9}
POST /ms/_lpushx/none {"value":9}
GET /ms/_lindex/l/0
POST /ms/_linsert/l {"position":"BEFORE","pivot":"2","value":"x"}
GET /ms/_llen/l
POST /ms/_lmove {"source":"l","destination":"l2","wherefrom":"LEFT","whereto":"RIGHT"}
POST /ms/_blmove {"source":"l","destination":"l2","wherefrom":"LEFT","whereto":"RIGHT","timeout":0.1}
POST /ms/_rpoplpush {"source":"l","destination":"l2"}
POST /ms/_brpoplpush {"source":"l","destination":"l2","timeout":0.1}
POST /ms/_lmpop {"keys":["none","l2"],"where":"LEFT","count":1}
POST /ms/_lmpop/l2 {"where":"LEFT"}
POST /ms/_blmpop {"keys":["l2"],"where":"RIGHT","timeout":0.1}
POST /ms/_blmpop/none {"where":"RIGHT","timeout":0.05}
POST /ms/_blpop {"src":["l2"],"timeout":0.1}
POST /ms/_blpop/none {"timeout":0.05}
POST /ms/_brpop {"src":["l"],"timeout":0.1}
POST /ms/_brpop/l {"timeout":0.1}
POST /ms/_lpop/l
POST /ms/_lpop/l {"count":1}
POST /ms/_rpop/l
GET /ms/_lpos/l/2
GET /ms/_lpos/l?element=2&count=0
POST /ms/_lset/l {"idx":0,"value":"first"}
GET /ms/_lrange/l/0/-1
POST /ms/_ltrim/l {"start":0,"stop":3}
DELETE /ms/_lrem/l {"count":0,"value":"2"}
POST /ms/_rpush/nums {"values":[3,1,2]}
POST /ms/_sort/nums {"direction":"DESC"}
POST /ms/_sort/nums {"store":"sorted"}
GET /ms/_sort_ro/nums?get=none_*
POST /ms/_sadd/a {"members":["x","y","z","w"]}
POST /ms/_sadd/c {"member":"x"}
GET /ms/_scard/a
GET /ms/_sdiff/a?keys=c
GET /ms/_sdiff?keys=a&keys=c
POST /ms/_sdiffstore/a {"destination":"d","keys":["c"]}
POST /ms/_sdiffstore {"destination":"d","keys":["a","c"]}
GET /ms/_sinter/a?keys=c
GET /ms/_sinter?keys=a&keys=c
GET /ms/_sintercard/a?keys=c
GET /ms/_sintercard?keys=a&keys=c&limit=1
POST /ms/_sinterstore/a {"destination":"d","keys":["c"]}
POST /ms/_sinterstore {"destination":"d","keys":["a","c"]}
GET /ms/_sismember/a/x
GET /ms/_smembers/a
GET /ms/_smismember/a?members=x&members=q
POST /ms/_smove/a {"destination":"c","member":"z"}
POST /ms/_smove?_id=a {"destination":"c","member":"none"}
GET /ms/_srandmember/a
GET /ms/_srandmember/a/2
POST /ms/_sunion/a {"keys":["c"]}
POST /ms/_sunion {"keys":["a","c"]}
POST /ms/_sunionstore/a {"destination":"d","keys":["c"]}
POST /ms/_sunionstore {"destination":"d","keys":["a","c"]}
POST /ms/_spop/a
POST /ms/_spop/d {"count":2}
DELETE /ms/_srem/a {"member":"x"}
POST /ms/_zadd/z {"values":[{"score":1,"member":"a"},{"score":2,"member":"b"},{"score":3,"member":"c"},{"score":4,"member":"d"},{"score":5,"member":"e"},{"score":6,"member":"f"}]}
POST /ms/_zadd/z {"score":1.5,"member":"a","incr":true}
POST /ms/_zadd/y {"values":[{"score":1,"member":"a"},{"score":2,"member":"q"}]}
GET /ms/_zcard/z
GET /ms/_zcount/z/0/inf
GET /ms/_zdiff/z?keys=y&withscores=true
GET /ms/_zdiff?keys=z&keys=y
POST /ms/_zdiffstore {"destination":"zo","keys":["z","y"]}
POST /ms/_zdiffstore/z {"destination":"zo","keys":["y"]}
POST /ms/_zincrby/z {"value":1,"member":"a"}
GET /ms/_zinter/z?keys=y&withscores=true
GET /ms/_zinter?keys=z&keys=y&weights=1&weights=2&aggregate=MAX
GET /ms/_zintercard/z?keys=y
GET /ms/_zintercard?keys=z&keys=y
POST /ms/_zinterstore {"destination":"zo","keys":["z","y"],"weights":[1,2]}
POST /ms/_zinterstore/z {"destination":"zo","keys":["y"]}
GET /ms/_zlexcount/y/-/%2B
GET /ms/_zmscore/z?members=a&members=none
GET /ms/_zrandmember/z
GET /ms/_zrandmember/z/2?withscores=true
GET /ms/_zrange/z/0/-1?withscores=true
GET /ms/_zrangebylex/y/-/%2B?offset=0&count=1
GET /ms/_zrangebyscore/z/0/inf
POST /ms/_zrangestore/z {"destination":"zo","start":0,"stop":1}
GET /ms/_zrank/z/a
GET /ms/_zrank/z/none
GET /ms/_zrevrange/z/0/1
GET /ms/_zrevrangebylex/y/-/%2B
GET /ms/_zrevrangebyscore/z/inf/0?withscores=true
GET /ms/_zrevrank/z/a
GET /ms/_zscore/z/a
GET /ms/_zscore/z/none
GET /ms/_zunion/z?keys=y
GET /ms/_zunion?keys=z&keys=y&withscores=true
POST /ms/_zunionstore {"destination":"zo","keys":["z","y"]}
POST /ms/_zunionstore/z {"destination":"zu","keys":["y"],"aggregate":"SUM"}
POST /ms/_zmpop {"keys":["none","z"],"where":"MIN","count":1}
POST /ms/_zmpop/none {"where":"MAX"}
POST /ms/_bzmpop {"keys":["z"],"where":"MAX","timeout":0.1}
POST /ms/_bzmpop/none {"where":"MAX","timeout":0.05}
POST /ms/_bzpopmax {"src":["z"],"timeout":0.1}
POST /ms/_bzpopmax/none {"timeout":0.05}
POST /ms/_bzpopmin {"src":["z"],"timeout":0.1}
POST /ms/_bzpopmin/none {"timeout":0.05}
POST /ms/_zpopmax/zo {"count":1}
POST /ms/_zpopmin/zo
DELETE /ms/_zrem/zo {"member":"a"}
DELETE /ms/_zremrangebylex/y {"min":"-","max":"[a"}
DELETE /ms/_zremrangebyrank/zu {"start":0,"stop":0}
DELETE /ms/_zremrangebyscore/zu {"min":"-inf","max":2}
POST /ms/_hset/h {"field":"a","value":1}
POST /ms/_hmset/h {"values":{"b":"two","c":3}}
GET /ms/_hexists/h/a
GET /ms/_hget/h/a
GET /ms/_hget/h/none
GET /ms/_hgetall/h
POST /ms/_hincrby/h {"field":"a","value":2}
POST /ms/_hincrbyfloat/h {"field":"a","value":0.5}
GET /ms/_hkeys/h
GET /ms/_hlen/h
GET /ms/_hmget/h?fields=a&fields=none
GET /ms/_hmget/h/a
GET /ms/_hrandfield/h
GET /ms/_hrandfield/h/2?withvalues=true
POST /ms/_hsetnx/h {"field":"a","value":9}
GET /ms/_hstrlen/h/b
GET /ms/_hvals/h
DELETE /ms/_hdel/h {"fields":["a","none"]}
POST /ms/_pfadd/pf {"elements":["a","b"]}
POST /ms/_pfmerge {"destkey":"pf2","sourcekey":"pf"}
GET /ms/_pfcount/pf
GET /ms/_pfcount?keys=pf&keys=pf2
POST /ms/_geoadd/g {"points":[{"longitude":13.361389,"latitude":38.115556,"name":"P"},{"longitude":15.087269,"latitude":37.502669,"name":"C"}]}
GET /ms/_geodist/g/P/C?unit=km
GET /ms/_geodist/g/P/none
GET /ms/_geohash/g/P
GET /ms/_geohash/g?members=P&members=none
GET /ms/_geopos/g/P
GET /ms/_geopos/g?members=P&members=none
GET /ms/_georadius/g?longitude=15&latitude=37&distance=200&unit=km&withdist=true&withcoord=true&withhash=true
GET /ms/_georadius_ro/g?longitude=15&latitude=37&distance=200&unit=km
GET /ms/_georadiusbymember/g?member=P&distance=200&unit=km&sort=ASC
GET /ms/_georadiusbymember_ro/g?member=P&distance=200&unit=km&count=1
GET /ms/_geosearch/g?member=P&width=400&height=400&unit=km&withcoord=true
POST /ms/_geosearchstore/g {"destination":"g2","member":"P","distance":200,"unit":"km"}
POST /ms/_xadd/x {"id":"1-1","field":"a","value":1}
POST /ms/_xadd/x {"id":"2-1","values":{"b":2}}
POST /ms/_xadd/none {"nomkstream":true,"field":"a","value":1}
GET /ms/_xlen/x
GET /ms/_xrange/x/-/%2B?count=1
GET /ms/_xrevrange/x/%2B/-
POST /ms/_xread {"streams":{"x":"0"}}
POST /ms/_xread {"streams":{"x":"9-0"}}
DELETE /ms/_xdel/x {"id":"1-1"}
POST /ms/_xtrim/x {"maxlen":0}
POST /ms/_bgrewriteaof
POST /ms/_bgsave
GET /ms/_dbsize
GET /ms/_info
GET /ms/_info/server
GET /ms/_lastsave
GET /ms/_ping
POST /ms/_publish {"channel":"news","message":"m"}
POST /ms/_publish/news {"message":"m"}
POST /ms/_save
GET /ms/_time
POST /ms/_wait {"numslaves":0,"timeout":10}
400 POST /ms/_multi
400 POST /ms/_exec
400 POST /ms/_discard
400 POST /ms/_watch {"keys":["s"]}
400 POST /ms/_unwatch
400 POST /ms/_incr/l
`;
