/** The commands of Redis 7.0 that are not offered (MEM-31). */
export const EXCLUDED_COMMANDS: readonly string[] = `
  acl asking auth client cluster command config debug echo eval eval_ro evalsha evalsha_ro failover fcall fcall_ro
  flushall function hello hscan latency lolwut memory migrate module monitor move pfdebug pfselftest psubscribe
  psync pubsub punsubscribe quit readonly readwrite replconf replicaof reset restore-asking role scan script
  select shutdown slaveof slowlog spublish sscan ssubscribe subscribe sunsubscribe swapdb sync unsubscribe xack
  xautoclaim xclaim xgroup xinfo xpending xreadgroup xsetid zscan
`
  .trim()
  .split(/\s+/);
