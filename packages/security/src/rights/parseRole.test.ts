import { MillraceError, type JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { parseRole } from './parseRole.js';

const GET = { document: { actions: { get: true } } };
const tree = (index: JsonObject): JsonObject => ({ indexes: { foo: index } });

function refusal(body: unknown): string {
  try {
    parseRole('editor', body as JsonObject);
  } catch (error) {
    expect(error).toBeInstanceOf(MillraceError);
    expect(error).toMatchObject({ id: 'security.invalid_role', status: 400 });
    return (error as MillraceError).message;
  }
  throw new Error('accepted');
}

describe('parseRole (SEC-10, SEC-14)', () => {
  it('keeps the body as it was sent', () => {
    const body = tree({ collections: { bar: { controllers: GET } } });
    expect(parseRole('editor', body)).toMatchObject({ id: 'editor', body });
  });

  it('reads a flat role as a tree under * and *', () => {
    const { indexes, canCreateIndexes } = parseRole('editor', { controllers: GET });
    const other = parseRole('editor', {
      indexes: { '*': { collections: { '*': { controllers: GET } } } },
    });
    expect({ indexes, canCreateIndexes }).toEqual({
      indexes: other.indexes,
      canCreateIndexes: other.canCreateIndexes,
    });
  });

  it('accepts roles that grant nothing', () => {
    for (const body of [
      { controllers: {} },
      { indexes: {} },
      tree({ collections: {} }),
      tree({ collections: { bar: { controllers: { document: { actions: {} } } } } }),
    ]) {
      expect(parseRole('editor', body).body).toBe(body);
    }
  });

  it('defaults all four flags to true', () => {
    const role = parseRole('editor', tree({ collections: { bar: { controllers: GET } } }));
    const foo = role.indexes.get('foo');
    expect([
      role.canCreateIndexes,
      foo?.canDelete,
      foo?.canCreateCollections,
      foo?.collections.get('bar')?.canDelete,
    ]).toEqual([true, true, true, true]);
  });

  it('keeps an index from being deleted with a collection that may not be', () => {
    const role = parseRole(
      'editor',
      tree({ _canDelete: true, collections: { bar: { _canDelete: false, controllers: {} } } }),
    );
    expect(role.indexes.get('foo')?.canDelete).toBe(false);
  });

  it.each([
    [{}, 'indexes is missing (or controllers, for a flat role)'],
    [{ indexes: [] }, 'indexes: expected an object, got an empty list'],
    [{ indexes: 'x' }, 'indexes: expected an object, got "x"'],
    [{ indexes: null }, 'indexes: expected an object, got null'],
    [{ controllers: null }, 'controllers: expected an object, got null'],
    [{ indexes: {}, controllers: {} }, 'indexes and controllers are two forms of a role: expected one, got both'],
    [{ controllers: {}, description: 'x' }, 'description is unknown: expected controllers'],
    [{ indexes: { foo: {} } }, 'indexes.foo.collections is missing'],
    [{ indexes: { foo: true } }, 'indexes.foo: expected an object, got true'],
    [{ indexes: { _canCreate: 'no' } }, 'indexes._canCreate: expected true or false, got "no"'],
    [{ indexes: { _canDelete: true } }, 'indexes._canDelete is unknown: expected _canCreate, a name or *'],
    [{ indexes: { 'a*': {} } }, 'indexes.a*: only * alone stands for other names, there are no patterns'],
    [{ indexes: { '': {} } }, 'indexes has an empty name'],
    [tree({ collections: { bar: {} } }), 'indexes.foo.collections.bar.controllers is missing'],
    [
      tree({ _candelete: false, collections: {} }),
      'indexes.foo._candelete is unknown: expected _canDelete, collections',
    ],
    [tree({ _canDelete: 0, collections: {} }), 'indexes.foo._canDelete: expected true or false, got 0'],
    [
      tree({ collections: { _canCreate: null } }),
      'indexes.foo.collections._canCreate: expected true or false, got null',
    ],
    [
      tree({ collections: { b: { _canDelete: {}, controllers: {} } } }),
      'indexes.foo.collections.b._canDelete: expected true or false, got an object',
    ],
    [{ controllers: { document: true } }, 'controllers.document: expected an object, got true'],
    [{ controllers: { document: {} } }, 'controllers.document.actions is missing'],
    [
      { controllers: { document: { actions: [] } } },
      'controllers.document.actions: expected an object, got an empty list',
    ],
    [
      { controllers: { document: { actions: {}, get: true } } },
      'controllers.document.get is unknown: expected actions, documents, check, fields',
    ],
    [
      { controllers: { document: { actions: { get: 1 } } } },
      'controllers.document.actions.get: expected true, false, {when: filter} or {documents, check, fields}, got 1',
    ],
    [
      { controllers: { document: { actions: { get: null } } } },
      'controllers.document.actions.get: expected true, false, {when: filter} or {documents, check, fields}, got null',
    ],
    [
      { controllers: { document: { actions: { 'get*': true } } } },
      'controllers.document.actions.get*: only * alone stands for other names, there are no patterns',
    ],
    [
      { controllers: { document: { actions: { get: {} } } } },
      'controllers.document.actions.get.when is missing: expected {when: filter} or {documents, check, fields}',
    ],
  ])('refuses %j', (body, reason) => {
    expect(refusal(body)).toBe(`Role "editor": ${reason}`);
  });

  it('takes names of prototype members as plain names', () => {
    const body = JSON.parse(
      '{"controllers":{"__proto__":{"actions":{"constructor":true,"__proto__":false}},"toString":{"actions":{}}}}',
    ) as JsonObject;
    const controllers = parseRole('editor', body).indexes.get('*')?.collections.get('*')?.controllers;
    expect([...(controllers?.keys() ?? [])]).toEqual(['__proto__', 'toString']);
    expect([...(controllers?.get('__proto__') ?? [])]).toEqual([
      ['constructor', true],
      ['__proto__', false],
    ]);
  });

  it('does not take inherited keys for its own', () => {
    const body = Object.create({ indexes: {} }) as JsonObject;
    expect(refusal(body)).toContain('indexes is missing');
  });

  it('cuts long names in its messages', () => {
    expect(refusal({ indexes: { ['x'.repeat(100_000)]: {} } }).length).toBeLessThan(300);
  });
});
