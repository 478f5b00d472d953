import { describe, expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace } from './runMillrace.js';

const ON_FREE_PORT = ['--http.port', '0', '--log.level', 'error'];

describe('the process', () => {
  it('drains on SIGTERM under write load: exit 0, every acknowledged write is kept (PROTO-43)', async () => {
    await inTemporaryFolder(async (folder) => {
      const first = runMillrace(folder, ON_FREE_PORT);
      const url = await first.listening;
      const acknowledged: string[] = [];
      let isOver = false;
      const writer = async (name: number): Promise<void> => {
        for (let n = 0; !isOver; n++) {
          const id = `${name}-${n}`;
          const answer = await fetch(`${url}/load/docs/${id}`, {
            method: 'PUT',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ n }),
          }).catch(() => undefined);
          if (answer === undefined) return;
          if (answer.status === 200) acknowledged.push(id);
        }
      };
      const writers = Array.from({ length: 8 }, (_, name) => writer(name));
      while (acknowledged.length < 200) await new Promise((resolve) => setImmediate(resolve));
      first.signal('SIGTERM');
      expect(await first.ended).toBe(0);
      isOver = true;
      await Promise.all(writers);

      const second = runMillrace(folder, ON_FREE_PORT);
      const answer = await fetch(`${await second.listening}/load/docs/_mGet`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ids: acknowledged }),
      });
      const { result } = (await answer.json()) as {
        result: { successes: unknown[]; errors: unknown[] };
      };
      expect(result.errors).toEqual([]);
      expect(result.successes).toHaveLength(acknowledged.length);
      second.signal('SIGTERM');
      expect(await second.ended).toBe(0);
    });
  });

  it('is refused a port that is taken, and names it', async () => {
    await inTemporaryFolder(async (folder) => {
      const first = runMillrace(folder, [...ON_FREE_PORT, '--server.dataDir', 'a']);
      const { port } = new URL(await first.listening);
      const second = runMillrace(folder, ['--http.port', port, '--log.level', 'error', '--server.dataDir', 'b']);
      expect(await second.ended).toBe(1);
      expect(second.output()).toContain(port);
      first.signal('SIGTERM');
      await first.ended;
    });
  });

  it('is refused a data folder that is in use, and names it', async () => {
    await inTemporaryFolder(async (folder) => {
      const first = runMillrace(folder, [...ON_FREE_PORT, '--server.dataDir', 'shared']);
      await first.listening;
      const second = runMillrace(folder, [...ON_FREE_PORT, '--server.dataDir', 'shared']);
      expect(await second.ended).toBe(1);
      expect(second.output()).toContain('shared');
      first.signal('SIGTERM');
      expect(await first.ended).toBe(0);
    });
  });

  it('answers again after it was frozen for 2 s', async () => {
    await inTemporaryFolder(async (folder) => {
      const millrace = runMillrace(folder, ON_FREE_PORT);
      const url = await millrace.listening;
      millrace.signal('SIGSTOP');
      const answer = fetch(`${url}/_now`);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      millrace.signal('SIGCONT');
      expect((await answer).status).toBe(200);
      millrace.signal('SIGTERM');
      expect(await millrace.ended).toBe(0);
    });
  });
});
