import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { checkClock } from './checkClock.js';
import { fault, ok, type DoctorContext, type Finding } from './Finding.js';

const TIMEOUT_MS = 3_000;

/** Each Redis that the configuration uses: reachable, keeps what it holds, has the same time. */
export async function checkRedis({ config }: DoctorContext): Promise<readonly Finding[]> {
  const memory = config.section<{ engine: string; redis: { url: string } }>('memoryStore');
  const cluster = config.section<{ enabled: boolean; redis: { url: string } }>('cluster');
  return [
    ...(memory.engine === 'redis' ? await check('memoryStore.redis.url', memory.redis.url) : []),
    ...(cluster.enabled ? await check('cluster.redis.url', cluster.redis.url) : []),
  ];
}

async function check(key: string, url: string): Promise<readonly Finding[]> {
  try {
    const before = Date.now();
    const [info = '', time = ''] = await ask(url, ['INFO', 'TIME']);
    const tookMs = Date.now() - before;
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction';
    const seconds = /^\*2\r\n\$\d+\r\n(\d+)\r\n\$\d+\r\n(\d+)/.exec(time);
    const now = Number(seconds?.[1] ?? 0) * 1_000 + Number(seconds?.[2] ?? 0) / 1_000;
    return [
      ok('redis', `${key}: Redis ${/^redis_version:(\S+)/m.exec(info)?.[1] ?? ''} answers`),
      checkPolicy(key, policy),
      checkClock('clock-redis', 'Redis', now, tookMs),
    ];
  } catch (error) {
    const mend = `Start Redis, or set ${key} to its address with the right login`;
    return [fault('redis-unreachable', `${key}: ${(error as Error).message}`, mend)];
  }
}

function checkPolicy(key: string, policy: string): Finding {
  const id = 'redis-eviction';
  const saw = `${key}: maxmemory-policy is ${policy}`;
  if (policy === 'noeviction') return ok(id, saw);
  return fault(
    id,
    `${saw}: Redis drops keys when it is full`,
    'CONFIG SET maxmemory-policy noeviction, and in redis.conf',
  );
}

/** Sends commands without arguments, after the login of the address. @returns their replies as Redis writes them */
function ask(address: string, commands: readonly string[]): Promise<readonly string[]> {
  const { protocol, hostname, port, username, password } = new URL(address);
  const at = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
  const login = [username === '' ? 'default' : username, password].map(decodeURIComponent);
  const sent = [...(password === '' ? [] : [['AUTH', ...login]]), ...commands.map((name) => [name])];
  return new Promise((resolve, reject) => {
    const socket: Socket = protocol === 'rediss:' ? connectTls({ ...at, servername: at.host }) : connect(at);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
      const failed = /^(?:\+OK\r\n)?-(.*)\r\n/.exec(received)?.[1];
      if (failed !== undefined) {
        socket.destroy(new Error(failed));
        return;
      }
      const time = received.search(/\*2\r\n\$\d+\r\n\d+\r\n\$\d+\r\n\d+\r\n$/);
      if (time === -1) return;
      resolve([received.slice(0, time), received.slice(time)]);
      socket.end();
    });
    const toText = (words: readonly string[]) =>
      `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
    socket.write(sent.map(toText).join(''));
  });
}
