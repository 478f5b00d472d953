import { describe, expect, it } from 'vitest';
import { openTestStorage } from './openTestStorage.test.support.js';
import { storageActions } from './storageActions.js';
import { ScrollTable } from './search/ScrollTable.js';

describe('storageActions', () => {
  const actions = storageActions(openTestStorage().container);
  const byName = new Map(actions.map((each) => [`${each.controller}.${each.action}`, each]));

  it('provides the four controllers of the storage', () => {
    expect([...byName.keys()].sort()).toEqual(
      [
        ...[
          'create',
          'delete',
          'exists',
          'getAutoRefresh',
          'list',
          'mDelete',
          'refresh',
          'refreshInternal',
          'setAutoRefresh',
        ].map((name) => `index.${name}`),
        ...[
          'create',
          'delete',
          'eraseHistory',
          'exists',
          'getMapping',
          'list',
          'truncate',
          'updateMapping',
          'deleteSpecifications',
          'getSpecifications',
          'searchSpecifications',
          'updateSpecifications',
          'validateSpecifications',
        ].map((name) => `collection.${name}`),
        ...[
          'count',
          'create',
          'createOrReplace',
          'delete',
          'deleteByQuery',
          'explain',
          'get',
          'replace',
          'scroll',
          'search',
          'update',
          'updateByQuery',
          'upsert',
          'validate',
        ].map((name) => `document.${name}`),
        ...['mCreate', 'mCreateOrReplace', 'mDelete', 'mGet', 'mReplace', 'mUpdate'].map((name) => `document.${name}`),
        'bulk.import',
        'realtime.validate',
      ].sort(),
    );
  });

  it.each([
    ['index.create', 'PUT /:index'],
    ['index.mDelete', 'DELETE /_mDelete'],
    ['collection.list', 'GET /:index/_list'],
    ['collection.searchSpecifications', 'POST /validations/_search'],
    ['collection.truncate', 'DELETE /:index/:collection/_truncate'],
    ['document.create', 'POST /:index/:collection/_create'],
    ['document.createOrReplace', 'PUT /:index/:collection/:_id'],
    ['document.scroll', 'POST /_scroll/:scrollId'],
    ['document.mDelete', 'DELETE /:index/:collection/_mDelete'],
    ['bulk.import', 'POST /:index/:collection/_bulk'],
  ])('%s has %s for its first route', (name, route) => {
    const [first] = byName.get(name)?.routes ?? [];
    expect(`${first?.method} ${first?.path}`).toBe(route);
  });

  it('declares every parameter of a route as an argument, and where the index is one, requires it', () => {
    for (const [name, { routes, args }] of byName) {
      for (const { path } of routes) {
        const parameters = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter);
        expect(Object.keys(args), name).toEqual(expect.arrayContaining(parameters));
      }
      if (name !== 'bulk.import' && args.index !== undefined) expect(args.index.required).toBe(true);
    }
  });

  it('lets bulk import take 64 MiB and nothing else more than usual', () => {
    const larger = actions.filter(({ largeBody }) => largeBody !== undefined);
    expect(larger.map(({ action, largeBody }) => [action, largeBody?.maxBytes])).toEqual([['import', 67_108_864]]);
  });

  it('has one scroll table per server', () => {
    const { container } = openTestStorage();
    const scrolls = container.resolve(ScrollTable);
    expect(container.resolve(ScrollTable)).toBe(scrolls);
    expect(openTestStorage().container.resolve(ScrollTable)).not.toBe(scrolls);
  });
});
