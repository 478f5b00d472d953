import { describe, expect, it } from 'vitest';
import type { ConfigSchema } from '@millrace/kernel';
import { withDefaults } from './withDefaults.js';

const SCHEMA: ConfigSchema = {
  port: { doc: 'Port', format: 'port', default: 7 },
  cors: { origin: { doc: 'Origins', format: String, default: '*' } },
};

describe('withDefaults', () => {
  it('replaces defaults, in sections too, and leaves the schema as it was', () => {
    const changed = withDefaults(SCHEMA, { port: 0, cors: { origin: '' } }, 'plugin');
    expect(changed).toMatchObject({ port: { default: 0 }, cors: { origin: { default: '' } } });
    expect(SCHEMA).toMatchObject({ port: { default: 7 }, cors: { origin: { default: '*' } } });
  });

  it.each([[{ prot: 0 }], [{ cors: { orgin: '' } }], [{ cors: 'x' }], [{ cors: null }], [{ toString: 1 }]])(
    'refuses %j, naming whose option it is',
    (defaults) => {
      expect(() => withDefaults(SCHEMA, defaults, 'plugin')).toThrow(/^plugin has no such option: /);
    },
  );
});
