import { FilterEngine } from '../../packages/filters/dist/index.js';

/** Our engine, as the peers are asked. */
export function ours() {
  const engine = new FilterEngine();
  return {
    register: (filter) => engine.register('bench', 'filters', filter).id,
    test: (document) => engine.test('bench', 'filters', document),
    remove: (id) => engine.remove(id),
    engine,
  };
}
