import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const SOAK = fileURLToPath(new URL('../../bench/soak.mjs', import.meta.url));

describe('bench/soak.mjs', () => {
  it('loads every protocol, ends by itself and finds nothing lost', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [SOAK, '--hours', '0.002']);
    const summary = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
      readonly received: Record<string, number>;
    };
    expect(summary).toMatchObject({ errors: 0, lost: 0, repeated: 0, serverExitCode: 0 });
    const { http, websocket, fallback, mqtt } = summary.received;
    expect(http).toBeGreaterThan(0);
    expect([websocket, fallback, mqtt]).toEqual([http, http, http]);
  });
});
