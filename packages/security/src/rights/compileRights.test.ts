import type { ActionEffect, JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { compileRights } from './compileRights.js';
import { parsePolicies } from './parsePolicies.js';
import { parseRole } from './parseRole.js';
import type { Rights } from './Rights.js';

const INTERNAL = '%millrace';
const EVERYTHING = { '*': { actions: { '*': true } } };
const WHEN = { when: { exists: { field: 'request._id' } } };

/** Rights of one profile with one policy per role. */
function rightsOf(...policies: readonly { readonly role: JsonObject; readonly restrictedTo?: unknown }[]): Rights {
  const bodies = policies.map(({ restrictedTo }, i) => ({
    _id: `r${i}`,
    ...(restrictedTo !== undefined && { restrictedTo }),
  }));
  const grants = parsePolicies({ policies: bodies } as unknown as JsonObject).map(({ roleId, restrictedTo }, i) => ({
    role: parseRole(roleId, policies[i]?.role ?? {}),
    restrictedTo,
  }));
  return compileRights(grants, INTERNAL);
}

const flat = (controller: string, actions: JsonObject): JsonObject => ({
  controllers: { [controller]: { actions } },
});

/** `{index: {collection: controllers}}`; `_` keys of an index and of `indexes` are flags. */
function tree(indexes: Readonly<Record<string, unknown>>, flags: JsonObject = {}): JsonObject {
  const entries = Object.entries(indexes).map(([name, collections]) => [name, { collections }]);
  return { indexes: { ...flags, ...(Object.fromEntries(entries) as JsonObject) } };
}

describe('rights to the memory store (MEM-1)', () => {
  it.each<[JsonObject, string, boolean]>([
    [{ ms: { actions: { get: true } } }, 'get', true],
    [{ ms: { actions: { get: true } } }, 'set', false],
    [{ ms: { actions: { '*': true, set: false } }, ...EVERYTHING }, 'set', false],
    [{ memoryStorage: { actions: { '*': true } }, ms: { actions: { set: false } } }, 'set', false],
    [{ memoryStorage: { actions: { get: false } }, ms: { actions: { '*': true } } }, 'get', false],
    [{ memoryStorage: { actions: { get: false } }, ms: { actions: { '*': true } } }, 'set', true],
    [{ other: { actions: { get: false } }, ...EVERYTHING }, 'get', true],
  ])('%j: %s is %s under both names', (controllers, action, isAllowed) => {
    const rights = rightsOf({ role: { controllers } });
    for (const name of ['memoryStorage', 'ms']) expect(rights.decide(name, action, null, null)).toBe(isAllowed);
  });

  it('are listed under the name that the role gives', () => {
    const items = rightsOf({ role: flat('ms', { get: true }) }).items();
    expect(items).toEqual([{ controller: 'ms', action: 'get', index: '*', collection: '*', value: 'allowed' }]);
  });
});

describe('rights of one role (SEC-11)', () => {
  const rights = rightsOf({
    role: tree({
      foo: {
        bar: { controllers: { document: { actions: { '*': true, delete: false } } } },
        empty: { controllers: {} },
        '*': { controllers: { document: { actions: { get: true } }, ...EVERYTHING } },
      },
      '*': { '*': { controllers: { server: { actions: { now: true } } } } },
    }),
  });

  it.each<[string, string, string | null, string | null, boolean]>([
    ['document', 'create', 'foo', 'bar', true],
    ['document', 'delete', 'foo', 'bar', false],
    ['index', 'refresh', 'foo', 'bar', false],
    ['document', 'get', 'foo', 'baz', true],
    ['document', 'delete', 'foo', 'baz', false],
    ['index', 'refresh', 'foo', null, true],
    ['document', 'get', 'foo', 'empty', false],
    ['server', 'now', 'foo', 'empty', false],
    ['server', 'now', null, null, true],
    ['server', 'info', null, null, false],
    ['server', 'now', 'other', 'bar', true],
    ['document', 'get', 'other', 'bar', false],
    ['document', 'get', null, null, false],
  ])('%s.%s on %s/%s is %s', (controller, action, index, collection, expected) => {
    expect(rights.decide(controller, action, index, collection)).toBe(expected);
    // A second call: the cached decision is the same.
    expect(rights.decide(controller, action, index, collection)).toBe(expected);
  });

  it('never reach the internal index, neither by * nor by name', () => {
    const all = rightsOf(
      { role: { controllers: EVERYTHING } },
      { role: tree({ [INTERNAL]: { '*': { controllers: EVERYTHING } } }) },
      { role: { controllers: EVERYTHING }, restrictedTo: [{ index: INTERNAL }] },
    );
    expect(all.decide('document', 'get', INTERNAL, 'users')).toBe(false);
    expect(all.decide('document', 'get', 'foo', 'users')).toBe(true);
    expect(all.items()).toEqual([{ controller: '*', action: '*', index: '*', collection: '*', value: 'allowed' }]);
  });

  it('take names of prototype members as plain names', () => {
    const role = JSON.parse('{"controllers":{"document":{"actions":{"get":true}}}}') as JsonObject;
    const plain = rightsOf({ role });
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(plain.decide(name, name, name, name)).toBe(false);
      expect(plain.decide('document', name, null, null)).toBe(false);
      expect(plain.decide('document', 'get', name, name)).toBe(true);
    }
  });
});

describe('rights of several policies (SEC-21, SEC-22)', () => {
  it('are their union: a false takes nothing away', () => {
    const rights = rightsOf(
      { role: tree({ foo: { bar: { controllers: { document: { actions: { get: false } } } } } }) },
      { role: flat('document', { get: true }) },
    );
    expect(rights.decide('document', 'get', 'foo', 'bar')).toBe(true);
  });

  it('are the conditions of all where none allows it outright', () => {
    const conditional = { role: flat('document', { get: WHEN, count: WHEN }) };
    const rights = rightsOf(conditional, conditional, { role: flat('document', { count: true }) });
    expect(rights.decide('document', 'get', 'foo', 'bar')).toHaveLength(2);
    expect(rights.decide('document', 'count', 'foo', 'bar')).toBe(true);
  });

  it('are limited by restrictedTo where an index is named, and only there', () => {
    const restrictedTo = [{ index: 'foo' }, { index: 'baz', collections: ['a'] }];
    const rights = rightsOf({ role: { controllers: EVERYTHING }, restrictedTo });
    expect(rights.decide('document', 'get', 'foo', 'any')).toBe(true);
    expect(rights.decide('index', 'delete', 'foo', null)).toBe(true);
    expect(rights.decide('document', 'get', 'baz', 'a')).toBe(true);
    expect(rights.decide('document', 'get', 'baz', 'b')).toBe(false);
    expect(rights.decide('index', 'delete', 'baz', null)).toBe(false);
    expect(rights.decide('document', 'get', 'other', 'a')).toBe(false);
    expect(rights.decide('server', 'now', null, null)).toBe(true);
  });

  it('unite several restrictions to one index', () => {
    const role = { controllers: EVERYTHING };
    const parts = [
      { index: 'foo', collections: ['a'] },
      { index: 'foo', collections: ['b'] },
    ];
    const some = rightsOf({ role, restrictedTo: parts });
    expect(['a', 'b', 'c'].map((name) => some.decide('document', 'get', 'foo', name))).toEqual([true, true, false]);
    for (const restrictedTo of [
      [...parts, { index: 'foo' }],
      [{ index: 'foo' }, ...parts],
    ]) {
      expect(rightsOf({ role, restrictedTo }).decide('index', 'refresh', 'foo', null)).toBe(true);
    }
  });

  it('leave an empty restriction with the requests that name no index', () => {
    const rights = rightsOf({ role: { controllers: EVERYTHING }, restrictedTo: [] });
    expect(rights.decide('server', 'now', null, null)).toBe(true);
    expect(rights.decide('document', 'get', 'foo', 'bar')).toBe(false);
    expect(rights.items()).toEqual([]);
  });

  it('keep no more than a bounded number of decisions, and decide alike after that', () => {
    const rights = rightsOf({ role: flat('document', { '*': true, a1: false }) });
    const names = Array.from({ length: 120_000 }, (_, i) => `a${i}`);
    const denied = names.filter((name) => rights.decide('document', name, null, null) !== true);
    expect(denied).toEqual(['a1']);
    expect(rights.decide('document', 'a1', null, null)).toBe(false);
  });
});

describe('making and removing (SEC-12)', () => {
  const decide = (rights: Rights, effects: readonly ActionEffect[], index = 'foo', collection: string | null = 'bar') =>
    rights.decide('document', 'create', index, collection, effects);

  it('is allowed where no role speaks of it', () => {
    const rights = rightsOf({ role: { controllers: EVERYTHING } });
    for (const effect of ['createsIndex', 'createsCollection', 'deletesIndex', 'deletesCollection'] as const) {
      expect(decide(rights, [effect])).toBe(true);
    }
  });

  it('of indexes is forbidden by _canCreate of indexes', () => {
    const rights = rightsOf({
      role: tree({ '*': { '*': { controllers: EVERYTHING } } }, { _canCreate: false }),
    });
    expect(decide(rights, [])).toBe(true);
    expect(decide(rights, ['createsCollection'])).toBe(true);
    expect(decide(rights, ['createsIndex'])).toBe(false);
    expect(decide(rights, ['createsIndex', 'createsCollection'])).toBe(false);
  });

  it('of collections is forbidden by _canCreate of the collections of that very index', () => {
    const all = { '*': { controllers: EVERYTHING } };
    const rights = rightsOf({ role: tree({ foo: { _canCreate: false, ...all }, '*': all }) });
    expect(decide(rights, ['createsCollection'], 'foo')).toBe(false);
    expect(decide(rights, ['createsCollection'], 'baz')).toBe(true);
    expect(decide(rights, ['createsIndex'], 'foo')).toBe(true);
  });

  it('is forbidden by _canDelete of the index or collection', () => {
    const rights = rightsOf({
      role: {
        indexes: {
          foo: { _canDelete: false, collections: { '*': { controllers: EVERYTHING } } },
          baz: {
            collections: {
              kept: { _canDelete: false, controllers: EVERYTHING },
              '*': { controllers: EVERYTHING },
            },
          },
        },
      },
    });
    expect(decide(rights, ['deletesIndex'], 'foo', null)).toBe(false);
    expect(decide(rights, ['deletesCollection'], 'foo')).toBe(true);
    expect(decide(rights, ['deletesCollection'], 'baz', 'kept')).toBe(false);
    expect(decide(rights, ['deletesCollection'], 'baz', 'bar')).toBe(true);
    // Deleting the index would delete the collection with it.
    expect(decide(rights, ['deletesIndex'], 'baz', null)).toBe(false);
  });

  it('needs one policy that grants the action and allows this too', () => {
    const writer = tree({ '*': { '*': { controllers: EVERYTHING } } }, { _canCreate: false });
    const other = { role: flat('server', { now: true }) };
    expect(decide(rightsOf({ role: writer }, other), ['createsIndex'])).toBe(false);
    const free = { role: { controllers: EVERYTHING } };
    expect(decide(rightsOf({ role: writer }, free), ['createsIndex'])).toBe(true);
    expect(decide(rightsOf({ role: writer }, { ...free, restrictedTo: [{ index: 'baz' }] }), ['createsIndex'])).toBe(
      false,
    );
    const conditional = { role: flat('document', { create: WHEN }) };
    expect(decide(rightsOf({ role: writer }, conditional), [])).toBe(true);
    expect(decide(rightsOf({ role: writer }, conditional), ['createsIndex'])).toHaveLength(1);
  });
});

describe('rights items (SEC-33)', () => {
  const item = (controller: string, action: string, index: string, collection: string, value: string) => ({
    controller,
    action,
    index,
    collection,
    value,
  });

  it('list what each place of a tree says, sorted by code unit', () => {
    const role = tree({
      foo: {
        bar: { controllers: { document: { actions: { get: true, delete: false, update: WHEN } } } },
        '*': { controllers: { document: { actions: { search: true } } } },
      },
      '*': { '*': { controllers: { server: { actions: { '*': true } } } } },
      Foo: { '*': { controllers: { document: { actions: { search: false } } } } },
    });
    expect(rightsOf({ role }).items()).toEqual([
      item('document', 'delete', 'foo', 'bar', 'denied'),
      item('document', 'get', 'foo', 'bar', 'allowed'),
      item('document', 'search', 'Foo', '*', 'denied'),
      item('document', 'search', 'foo', '*', 'allowed'),
      item('document', 'update', 'foo', 'bar', 'conditional'),
      item('server', '*', '*', '*', 'allowed'),
    ]);
  });

  it('merge policies: allowed beats conditional beats denied', () => {
    const items = rightsOf(
      { role: flat('document', { get: true, count: false, search: WHEN }) },
      { role: flat('document', { get: false, count: WHEN, search: true }) },
      { role: flat('document', { get: WHEN, count: false, search: false, create: false }) },
    ).items();
    expect(items.map(({ action, value }) => [action, value])).toEqual([
      ['count', 'conditional'],
      ['create', 'denied'],
      ['get', 'allowed'],
      ['search', 'allowed'],
    ]);
  });

  it('expand restrictions, and say denied only where no policy of wider reach allows it', () => {
    const items = rightsOf(
      { role: flat('document', { get: false }) },
      {
        role: flat('document', { get: true }),
        restrictedTo: [{ index: 'foo', collections: ['b', 'a'] }, { index: 'baz' }],
      },
      { role: tree({ baz: { bar: { controllers: { document: { actions: { get: false } } } } } }) },
    ).items();
    expect(items).toEqual([
      item('document', 'get', '*', '*', 'denied'),
      item('document', 'get', 'baz', '*', 'allowed'),
      item('document', 'get', 'baz', 'bar', 'allowed'),
      item('document', 'get', 'foo', 'a', 'allowed'),
      item('document', 'get', 'foo', 'b', 'allowed'),
    ]);
  });

  it('resolve the exact index before a restriction is expanded', () => {
    const role = tree({
      foo: { bar: { controllers: { document: { actions: { get: true } } } } },
      '*': { '*': { controllers: { document: { actions: { count: true } } } } },
    });
    expect(
      rightsOf({
        role,
        restrictedTo: [{ index: 'foo' }, { index: 'baz', collections: ['x'] }],
      }).items(),
    ).toEqual([item('document', 'count', 'baz', 'x', 'allowed'), item('document', 'get', 'foo', 'bar', 'allowed')]);
  });
});
