/* `server.getLogs` of the command's process, compared with what it writes to standard error. */
import type { JsonObject } from '@millrace/kernel';
import { expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace } from './runMillrace.js';

const PASSWORD = 'correct horse battery';
const WRONG = 'wrong horse battery';
const HEADERS = { 'content-type': 'application/json' };
/** Of the configuration. */
const SECRETS = { elasticsearch: 'se-cret-of-elasticsearch', redis: 'se-cret-of-redis' };

interface Page {
  readonly position: string;
  readonly continued: boolean;
  readonly pid: number;
  readonly hits: readonly { readonly time: number; readonly message: string; readonly fields: JsonObject }[];
}

it('HEALTH-7: shows administrators the lines of standard error, without secrets', () =>
  inTemporaryFolder(async (folder) => {
    const server = runMillrace(folder, [
      ...['--http.port', '0', '--log.requests', 'true', '--security.openUntilFirstAdmin', 'false'],
      ...['--storage.elasticsearch.node', `http://elastic:${SECRETS.elasticsearch}@127.0.0.1:1`],
      ...['--memoryStore.redis.url', `redis://:${SECRETS.redis}@127.0.0.1:1`],
    ]);
    try {
      const url = await server.listening;
      const ask = async (method: string, path: string, body?: JsonObject, token?: string) => {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { ...HEADERS, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        const { error, result } = JSON.parse(text) as { error: { id: string } | null; result: JsonObject };
        return { status: response.status, id: error?.id, result, text };
      };
      const setupToken = /"setupToken":"([^"]+)"/.exec(server.output())?.[1] ?? '';
      expect(setupToken).not.toBe('');
      expect((await ask('GET', '/_logs')).status).toBe(401);
      await ask('POST', '/_createFirstAdmin', { _id: 'root', password: PASSWORD, setupToken });
      const login = (password: string) => ask('POST', '/_login/local', { username: 'root', password });
      expect((await login(WRONG)).status).toBe(401);
      const jwt = (await login(PASSWORD)).result['jwt'] as string;
      await ask('GET', `/unknown/path/of/no/route?secret=${WRONG}`, undefined, jwt);

      const { text, result } = await ask('GET', '/_logs?size=1000', undefined, jwt);
      const { hits, position, pid } = result as unknown as Page;
      expect(pid).toBe(server.pid);
      for (const secret of [PASSWORD, WRONG, encodeURI(WRONG), jwt, setupToken, ...Object.values(SECRETS)])
        expect(text).not.toContain(secret);
      const written = () =>
        server
          .output()
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .map((line) => JSON.parse(line) as JsonObject)
          .map(({ level: _level, time, msg, pid: _pid, hostname: _host, setupToken: _token, ...fields }) => ({
            ...{ time, message: msg, fields },
          }));
      await expect.poll(() => written().length).toBeGreaterThanOrEqual(hits.length);
      const shown = hits.map(({ time, message, fields }) => ({ time, message, fields }));
      expect(written().slice(0, hits.length)).toEqual(shown);
      expect(hits.map(({ message }) => message)).toContain('started');

      await ask('GET', '/_now');
      await expect
        .poll(async () => {
          const next = await ask('GET', `/_logs?level=info&after=${position}`, undefined, jwt);
          const page = next.result as unknown as Page;
          return [page.continued, page.hits.some(({ fields }) => fields['action'] === 'server:now')];
        })
        .toEqual([true, true]);
      for (const [query, name] of [
        ['after=5', 'after'],
        ['level=all', 'level'],
        ['size=1001', 'size'],
      ] as const) {
        const refused = await ask('GET', `/_logs?${query}`, undefined, jwt);
        expect([refused.status, refused.id]).toEqual([400, 'api.invalid_argument']);
        expect(refused.text).toContain(`Argument \\"${name}\\" is invalid`);
      }
    } finally {
      server.signal('SIGTERM');
      await server.ended;
    }
  }));
