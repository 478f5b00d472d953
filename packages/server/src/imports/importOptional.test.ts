import { describe, expect, it } from 'vitest';
import { importConfigured, importOptional } from './importOptional.js';

const absent = async (name: string): Promise<never> => {
  const problem = `Cannot find package '${name}' imported from /app/index.js`;
  throw Object.assign(new Error(problem), { code: 'ERR_MODULE_NOT_FOUND' });
};

describe('importOptional', () => {
  it('gives the module, or undefined where the package is not installed', async () => {
    expect(await importOptional('here', async () => ({ value: 1 }))).toEqual({ value: 1 });
    expect(await importOptional('gone', () => absent('gone'))).toBeUndefined();
  });

  it('rejects where the package is there and broken', async () => {
    await expect(importOptional('here', () => absent('of-here'))).rejects.toThrow('of-here');
    const broken = async (): Promise<never> => {
      throw new SyntaxError('Unexpected token');
    };
    await expect(importOptional('here', broken)).rejects.toThrow('Unexpected token');
  });

  it('names the key, the package and the command where the configuration asks for it', async () => {
    await expect(
      importConfigured('storage.engine "elasticsearch"', '@millrace/storage-elasticsearch', () =>
        absent('@millrace/storage-elasticsearch'),
      ),
    ).rejects.toMatchObject({
      id: 'core.invalid_config',
      message:
        'Configuration storage.engine "elasticsearch" needs the package @millrace/storage-elasticsearch, which is not installed: npm install @millrace/storage-elasticsearch',
    });
  });
});
