import { expectTypeOf, it } from 'vitest';
import { definePlugin } from '../plugins/Plugin.js';

it('host.config has the type of the declared schema', () => {
  definePlugin({
    name: 'doors',
    kernel: '*',
    config: {
      doors: {
        maxOpen: { doc: '', format: 'nat', default: 3 },
        colour: { doc: '', format: ['red', 'green'], default: 'red' },
        isLit: { doc: '', format: Boolean, default: false },
        owner: { doc: '', format: String, default: null },
        lock: { key: { doc: '', format: 'String', default: '', sensitive: true } },
      },
    },
    setup(host) {
      expectTypeOf(host.config.doors).toEqualTypeOf<{
        readonly maxOpen: number;
        readonly colour: 'red' | 'green';
        readonly isLit: boolean;
        readonly owner: string;
        readonly lock: { readonly key: string };
      }>();
      // @ts-expect-error -- no such section
      void host.config.windows;
    },
  });
});
