import type { Keyspace } from '../keyspace/Keyspace.js';

/** Facts for `info` in addition to the keys. */
export interface InfoFacts {
  readonly keyspace: Keyspace;
  readonly startedAtMs: number;
  readonly commandCount: number;
  /** Blocking calls that wait for a key. */
  readonly waitingCount: number;
  readonly maxMemory: number;
  readonly evictionPolicy: string;
  readonly isDurable: boolean;
  readonly isRewriting: boolean;
  readonly syncedAtMs: number;
  readonly version: string;
}

/** The Redis version whose command set is implemented. */
const REDIS_VERSION = '7.0.15';

/** The output of `info` in the format of Redis; one section, or all. */
export function showInfo(facts: InfoFacts, section: string | undefined): string {
  const wanted = section?.toLowerCase() ?? 'default';
  const isAll = ['default', 'all', 'everything'].includes(wanted);
  return sections(facts)
    .filter(([name]) => isAll || name.toLowerCase() === wanted)
    .map(([name, values]) =>
      [`# ${name}`, ...Object.entries(values).map(([key, value]) => `${key}:${value}`), ''].join('\r\n'),
    )
    .join('\r\n');
}

function seconds(microseconds: number): string {
  return (microseconds / 1e6).toFixed(6);
}

function sections(facts: InfoFacts): readonly (readonly [string, Record<string, string | number>])[] {
  const { keyspace } = facts;
  const uptimeSeconds = Math.floor((keyspace.nowMs - facts.startedAtMs) / 1000);
  return [
    [
      'Server',
      {
        redis_version: REDIS_VERSION,
        redis_mode: 'standalone',
        millrace_engine: 'embedded',
        millrace_version: facts.version,
        process_id: process.pid,
        uptime_in_seconds: uptimeSeconds,
      },
    ],
    // The service is the only client of this engine, which has no replicas.
    ['Clients', { connected_clients: 1, blocked_clients: facts.waitingCount }],
    [
      'Memory',
      {
        used_memory: keyspace.usedBytes,
        used_memory_peak: keyspace.peakBytes,
        maxmemory: facts.maxMemory,
        maxmemory_policy: facts.evictionPolicy,
      },
    ],
    [
      'Persistence',
      {
        loading: 0,
        aof_enabled: facts.isDurable ? 1 : 0,
        aof_rewrite_in_progress: facts.isRewriting ? 1 : 0,
        rdb_last_save_time: Math.floor(facts.syncedAtMs / 1000),
      },
    ],
    ['Stats', { total_commands_processed: facts.commandCount }],
    ['Replication', { role: 'master', connected_slaves: 0 }],
    [
      'CPU',
      {
        used_cpu_sys: seconds(process.cpuUsage().system),
        used_cpu_user: seconds(process.cpuUsage().user),
      },
    ],
    ['Cluster', { cluster_enabled: 0 }],
    ['Keyspace', keyspace.size === 0 ? {} : { db0: `keys=${keyspace.size},expires=${keyspace.expiring},avg_ttl=0` }],
  ];
}
