import { bitfieldReaders, bitfieldWriters } from './handlers/bitfieldHandlers.js';
import { bitReaders, bitWriters } from './handlers/bitHandlers.js';
import { geoReaders, geoWriters } from './handlers/geoHandlers.js';
import { geoSearchReaders, geoSearchWriters } from './handlers/geoSearchHandlers.js';
import type { Handlers } from './handlers/Handlers.js';
import { hashReaders, hashWriters } from './handlers/hashHandlers.js';
import { hyperLogLogReaders, hyperLogLogWriters } from './handlers/hyperLogLogHandlers.js';
import { keyReaders, keyWriters } from './handlers/keyHandlers.js';
import { listReaders, listWriters } from './handlers/listHandlers.js';
import { serverReaders, serverWriters } from './handlers/serverHandlers.js';
import { setReaders, setWriters } from './handlers/setHandlers.js';
import { sortReaders, sortWriters } from './handlers/sortHandlers.js';
import { combinationReaders, combinationWriters } from './handlers/sortedSetCombinations.js';
import { sortedSetReaders, sortedSetWriters } from './handlers/sortedSetHandlers.js';
import { rangeReaders, rangeWriters } from './handlers/sortedSetRanges.js';
import { streamReaders, streamWriters } from './handlers/streamHandlers.js';
import { stringReaders, stringWriters } from './handlers/stringHandlers.js';
import type { Keyspace } from './Keyspace.js';
import type { Handler } from './Reply.js';

/** Every command that the embedded engine runs on its keys, and whether it may change them. */
export const HANDLERS: ReadonlyMap<string, { run: Handler<Keyspace>; isWriter: boolean; mayGrow: boolean }> = toTable(
  [
    stringReaders,
    bitReaders,
    bitfieldReaders,
    keyReaders,
    listReaders,
    setReaders,
    hashReaders,
    sortedSetReaders,
    rangeReaders,
    combinationReaders,
    streamReaders,
    geoReaders,
    geoSearchReaders,
    hyperLogLogReaders,
    sortReaders,
    serverReaders,
  ],
  [
    stringWriters,
    bitWriters,
    bitfieldWriters,
    keyWriters,
    listWriters,
    setWriters,
    hashWriters,
    sortedSetWriters,
    rangeWriters,
    combinationWriters,
    streamWriters,
    geoWriters,
    geoSearchWriters,
    hyperLogLogWriters,
    sortWriters,
    serverWriters,
  ],
);

function toTable(readers: readonly Handlers[], writers: readonly Handlers[]) {
  /** Write commands that only free memory: allowed even when the limit is reached. */
  const freeing = new Set(
    'DEL UNLINK EXPIRE PEXPIRE EXPIREAT PEXPIREAT PERSIST RENAME RENAMENX GETDEL GETEX LPOP RPOP LTRIM LREM LMPOP BLPOP BRPOP BLMPOP SREM SPOP SMOVE HDEL ZREM ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREMRANGEBYLEX ZPOPMIN ZPOPMAX ZMPOP BZPOPMIN BZPOPMAX BZMPOP XDEL XTRIM FLUSHDB'.split(
      ' ',
    ),
  );
  const table = new Map<string, { run: Handler<Keyspace>; isWriter: boolean; mayGrow: boolean }>();
  for (const group of readers)
    for (const [name, run] of Object.entries(group)) table.set(name, { run, isWriter: false, mayGrow: false });
  for (const group of writers)
    for (const [name, run] of Object.entries(group))
      table.set(name, { run, isWriter: true, mayGrow: !freeing.has(name) });
  return table;
}
