import { describe, expect, it } from 'vitest';
import type { ConfigSchema } from './ConfigSchema.js';
import { loadConfig, type ConfigSources } from './loadConfig.js';

const schema: ConfigSchema = {
  http: {
    port: { doc: '', format: 'port', default: 7511 },
    maxBodySize: { doc: '', format: 'nat', default: 1024 },
    cors: { origin: { doc: '', format: String, default: '*' } },
  },
  log: { level: { doc: '', format: ['info', 'error'], default: 'info' } },
  server: { open: { doc: '', format: Boolean, default: false } },
  own: {
    limit: {
      doc: '',
      default: 5,
      format: (value: unknown) => {
        if (typeof value !== 'number') throw new Error('must be a number');
      },
    },
  },
  secret: {
    key: { doc: '', format: String, default: '', sensitive: true },
    count: { doc: '', format: 'nat', default: 0, sensitive: true },
    isOn: { doc: '', format: Boolean, default: false, sensitive: true },
    level: { doc: '', format: ['a', 'b'], default: 'a', sensitive: true },
    list: { doc: '', format: Array, default: [], sensitive: true },
    tree: { doc: '', format: Object, default: {}, sensitive: true },
    names: {
      doc: '',
      format: (value: unknown) => {
        if (!Array.isArray(value)) throw new Error('must be a list');
      },
      default: [],
      sensitive: true,
    },
    providers: {
      doc: '',
      format: (value: unknown) => {
        if (typeof value !== 'object') throw new Error('must be an object');
      },
      default: {},
      sensitive: true,
    },
  },
};
const file = (values: object) => ({ file: { name: 'my.json', values: values as never } });

describe('loadConfig', () => {
  it('merges defaults ← file ← environment ← flags', () => {
    const sources: ConfigSources = {
      ...file({ http: { port: 1, maxBodySize: 2, cors: { origin: 'a' } } }),
      environment: {
        MILLRACE_HTTP_MAX_BODY_SIZE: '3',
        MILLRACE_HTTP_CORS_ORIGIN: 'b',
        PATH: '/bin',
      },
      flags: { 'http.cors.origin': 'c' },
    };
    expect(loadConfig(schema, sources).values).toMatchObject({
      http: { port: 1, maxBodySize: 3, cors: { origin: 'c' } },
      log: { level: 'info' },
    });
  });

  it.each([
    ['an unknown key of the file', file({ http: { prot: 1 } }), 'http.prot', 'http.port'],
    ['an unknown section', file({ htpp: {} }), 'htpp', 'http'],
    ['a section that is no object', file({ http: 5 }), 'http', 'my.json'],
    ['an unknown variable', { environment: { MILLRACE_HTTP_PROT: '1' } }, 'MILLRACE_HTTP_PROT'],
    ['an unknown flag', { flags: { 'http.prot': '1' } }, 'http.prot', '--http.prot'],
    ['a port that is no number', { environment: { MILLRACE_HTTP_PORT: '12abc' } }, '12abc', 'http.port'],
    ['a port out of range', { flags: { 'http.port': '70000' } }, '70000', 'http.port'],
    ['text after a number', { environment: { MILLRACE_OWN_LIMIT: '20s' } }, '20s', 'own.limit'],
    ['a negative size', file({ http: { maxBodySize: -1 } }), '-1', 'http.maxBodySize'],
    ['a string for a number in the file', file({ http: { maxBodySize: 'big' } }), 'big', 'http.maxBodySize'],
    ['a boolean in other words', { environment: { MILLRACE_SERVER_OPEN: 'yes' } }, 'yes', 'server.open'],
    ['a value out of a list', { environment: { MILLRACE_LOG_LEVEL: 'loud' } }, 'loud', 'log.level'],
    ['an object for a string', file({ http: { cors: { origin: 5 } } }), '5', 'http.cors.origin'],
  ])('refuses %s in one line that names key and value', (_, sources, ...words) => {
    const refuse = () => loadConfig(schema, sources);
    expect(refuse).toThrowError(expect.objectContaining({ id: 'core.invalid_config' }));
    for (const word of words) expect(refuse).toThrowError(word);
    expect(refuse).toThrowError(/^[^\n]+$/);
  });

  it('never shows a secret', () => {
    const config = loadConfig(schema, { environment: { MILLRACE_SECRET_KEY: 'hush' } });
    expect(config.values.secret).toMatchObject({ key: 'hush' });
    expect(config.redacted.secret).toMatchObject({ key: '[redacted]' });
    expect(JSON.stringify(config.redacted)).not.toContain('hush');
    const refuse = () => loadConfig(schema, file({ secret: { key: { hush: 1 } } }));
    expect(refuse).toThrowError(/secret\.key/);
    expect(refuse).not.toThrowError(/hush/);
  });

  it('takes a list from one string: separated by commas, or as JSON', () => {
    const names = (value: string) =>
      loadConfig(schema, { flags: { 'secret.names': value } }).section<{ names: unknown }>('secret').names;
    expect(names('a, b,')).toEqual(['a', 'b']);
    expect(names('["a,b"]')).toEqual(['a,b']);
    expect(names('')).toEqual([]);
  });

  it.each([
    ['a broken list for a custom format', { flags: { 'secret.names': '[hush' } }, 'expected JSON'],
    ['broken JSON for a custom format', { flags: { 'secret.providers': 'hush' } }, 'expected JSON'],
    ['JSON of another type', { flags: { 'secret.providers': '"hush"' } }, 'an object'],
    ['broken JSON in the environment', { environment: { MILLRACE_SECRET_PROVIDERS: '{hush' } }, 'JSON'],
    ['broken JSON of an object', { flags: { 'secret.tree': '{"a":hush}' } }, 'expected JSON'],
    ['broken JSON of a list', { flags: { 'secret.list': '[hush' } }, 'expected JSON'],
    ['text for a list', file({ secret: { list: 'hush' } }), 'expected JSON'],
    ['text for an object', file({ secret: { tree: 'hush' } }), 'expected JSON'],
    ['a list for an object', file({ secret: { tree: ['hush'] } }), 'Object'],
    ['text for a number', { flags: { 'secret.count': 'hush' } }, 'a number'],
    ['an object for a number', file({ secret: { count: { hush: 1 } } }), 'a number'],
    ['text for a boolean', { flags: { 'secret.isOn': 'hush' } }, 'true or false'],
    ['a value out of a list', { flags: { 'secret.level': 'hush' } }, 'possible values'],
    ['a list for text', file({ secret: { key: ['hush'] } }), 'String'],
  ])('names the key and what is expected, never the secret: %s', (_, sources, expected) => {
    const refuse = () => loadConfig(schema, sources);
    expect(refuse).toThrowError(/^Invalid configuration secret\.\w+: [^\n]+$/);
    expect(refuse).toThrowError(expected);
    expect(refuse).toThrowError(expect.objectContaining({ id: 'core.invalid_config' }));
    expect(refuse).not.toThrowError(/hush/);
  });

  it.each([
    ['a misspelt variable', { environment: { MILLRACE_SECRET_KYE: 'hush' } }],
    ['a misspelt flag', { flags: { 'secret.kye': 'hush' } }],
    ['a flag joined to its value', { flags: { 'secret.key:hush': 'x' } }],
    ['a misspelt key of the file', file({ secret: { kye: 'hush' } })],
    ['a string for a section', file({ secret: 'hush' })],
    ['a login within an address', { flags: { 'http.port': 'http://me:hush@host' } }],
  ])('never shows what may be a secret: %s', (_, sources) => {
    const refuse = () => loadConfig(schema, sources);
    expect(refuse).toThrowError(/secret|SECRET|http\.port/);
    expect(refuse).not.toThrowError(/hush/);
  });

  it('gives frozen values', () => {
    const { values } = loadConfig(schema, {});
    expect(Object.isFrozen(values)).toBe(true);
    expect(Object.isFrozen(values.http)).toBe(true);
  });
});
