import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { mergeRoleBody } from './mergeRoleBody.js';

const flat = (actions: JsonObject): JsonObject => ({ controllers: { document: { actions } } });
const tree = (actions: JsonObject): JsonObject => ({
  indexes: { foo: { collections: { bar: { controllers: { document: { actions } } } } } },
});

describe('mergeRoleBody', () => {
  it.each([
    ['tree', tree],
    ['flat role', flat],
  ])('changes the rights that are named in a %s and keeps the others', (_, role) => {
    const merged = mergeRoleBody(role({ get: true, count: true }), role({ count: false }));
    expect(merged).toEqual(role({ get: true, count: false }));
  });

  it.each([
    ['tree', tree],
    ['flat role', flat],
  ])('replaces a condition as a whole in a %s', (_, role) => {
    const stored = role({ get: { when: { equals: { 'request._id': 'x' } } } });
    const change = role({ get: { when: { exists: { field: 'user._id' } } } });
    expect(mergeRoleBody(stored, change)).toEqual(change);
  });

  it('adds flags, indexes and collections', () => {
    const change = {
      indexes: { _canCreate: false, foo: { collections: { baz: { controllers: {} } } } },
    };
    expect(mergeRoleBody(tree({ get: true }), change)).toEqual({
      indexes: {
        _canCreate: false,
        foo: {
          collections: {
            bar: { controllers: { document: { actions: { get: true } } } },
            baz: { controllers: {} },
          },
        },
      },
    });
  });

  it('leaves what it was given as it is', () => {
    const stored = tree({ get: true });
    mergeRoleBody(stored, tree({ get: false }));
    expect(stored).toEqual(tree({ get: true }));
  });

  it('stores hostile keys as plain data', () => {
    const change = JSON.parse('{"controllers":{"__proto__":{"actions":{"get":true}}}}') as JsonObject;
    const merged = mergeRoleBody({ controllers: {} }, change);
    expect(JSON.stringify(merged)).toBe(JSON.stringify(change));
    expect(({} as JsonObject).actions).toBeUndefined();
  });
});
