import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSecretFiles } from './readSecretFiles.js';

const schema = {
  security: { jwt: { secret: { doc: '', format: String, default: '', sensitive: true } } },
  http: {
    host: { doc: '', format: String, default: '' },
    tls: {
      key: { doc: '', format: String, default: '' },
      keyFile: { doc: '', format: String, default: '' },
    },
  },
};
const NAME = 'MILLRACE_SECURITY_JWT_SECRET';

describe('readSecretFiles', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'millrace-secret-')), 'secret');
  writeFileSync(file, 'a long secret\n');

  it('replaces the variable by the content of its file, without the last line break', () => {
    const read = readSecretFiles(schema, { [`${NAME}_FILE`]: file, PATH: '/bin' });
    expect(read).toEqual({ [NAME]: 'a long secret', PATH: '/bin' });
  });

  it('leaves variables of other keys alone', () => {
    const environment = { MILLRACE_HTTP_TLS_KEY_FILE: file, [NAME]: 'b' };
    expect(readSecretFiles(schema, environment)).toEqual(environment);
  });

  it('refuses files for keys without a secret, and names the variable that they have', () => {
    expect(() => readSecretFiles(schema, { MILLRACE_HTTP_HOST_FILE: file })).toThrow(
      'MILLRACE_HTTP_HOST_FILE: only keys that hold a secret are read from files: set MILLRACE_HTTP_HOST',
    );
  });

  it('refuses files that can not be read, and two values', () => {
    expect(() => readSecretFiles(schema, { [`${NAME}_FILE`]: '/absent' })).toThrow(
      `${NAME}_FILE: can't read /absent: ENOENT`,
    );
    expect(() => readSecretFiles(schema, { [`${NAME}_FILE`]: file, [NAME]: 'b' })).toThrow('are both set');
  });
});
