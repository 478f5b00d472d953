import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfigFile } from './readConfigFile.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-config-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('readConfigFile', () => {
  it.each([
    ['a bare word', '{\n"http": {"port": 7511, "host": "127.0.0.1"},\n"secret": hush,\n"b": 2 }', ' (line 3)'],
    ['a line break in a string', '{\n"secret": "hush\n"}', ' (line 2)'],
    ['a short file', '{"a":hush}', ''],
    ['a file cut off', '{"secret": "hush"', ''],
  ])('names the file and the line of broken JSON, never its content: %s', async (_, text, place) => {
    writeFileSync(join(folder, 'a.json'), text);
    const refusal = await readConfigFile(folder, 'a.json').catch((error: unknown) => error as Error);
    expect(refusal).toMatchObject({ id: 'core.invalid_config' });
    const { message } = refusal as Error;
    if (place !== '') expect(message).toBe(`Configuration file a.json is not valid JSON${place}`);
    expect(message).toContain('Configuration file a.json is not valid JSON');
    expect(message).not.toContain('hush');
  });
});
