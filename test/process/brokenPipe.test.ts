import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../../packages/server/bin/millrace.js', import.meta.url));

describe.skipIf(process.platform === 'win32')('--help', () => {
  it('ends quietly when the reader of its output has closed the pipe', () => {
    // `exec <&-` closes the pipe before anything is written, which `head -1` does now and then.
    const script = `{ "$0" "$1" --help; echo "code $?" >&2; } | { exec <&-; sleep 2; }`;
    const { stderr } = spawnSync('sh', ['-c', script, process.execPath, BIN]);
    expect(stderr.toString()).toBe('code 0\n');
  });

  it('gives the first line to head', () => {
    const script = `"$0" "$1" --help | head -1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', script, process.execPath, BIN]);
    expect(stderr.toString()).toBe('');
    expect(stdout.toString()).toMatch(/^millrace \[COMMAND\]\n$/);
  });
});
