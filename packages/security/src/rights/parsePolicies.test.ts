import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { parsePolicies } from './parsePolicies.js';

const parse = (body: unknown) => parsePolicies(body as JsonObject);

describe('parsePolicies (SEC-20)', () => {
  it('takes both spellings of the list and of the role', () => {
    for (const list of ['policies', 'roles']) {
      for (const role of [{ _id: 'r' }, { roleId: 'r' }, { _id: 'r', roleId: 'r' }]) {
        expect(parse({ [list]: [role] })).toEqual([{ roleId: 'r', restrictedTo: null }]);
      }
    }
  });

  it('reads restrictions', () => {
    const restrictedTo = [{ index: 'foo' }, { index: 'baz', collections: ['b', 'a'] }];
    expect(parse({ policies: [{ roleId: 'r', restrictedTo }] })).toEqual([{ roleId: 'r', restrictedTo }]);
  });

  it('leaves out allowInternalIndex', () => {
    expect(parse({ policies: [{ _id: 'r', allowInternalIndex: true }] })).toEqual([
      { roleId: 'r', restrictedTo: null },
    ]);
  });

  it('takes no further property of the profile for its own', () => {
    expect(parse({ name: 'x', policies: [{ _id: 'r' }] })).toHaveLength(1);
  });

  it.each([
    [{}, 'policies is missing: expected a list of policies'],
    [{ policies: [], roles: [] }, 'policies and roles are the same: expected one, got both'],
    [{ policies: [] }, 'policies is empty: expected at least one policy'],
    [{ roles: [] }, 'roles is empty: expected at least one policy'],
    [{ policies: 'r' }, 'policies: expected a list of policies, got "r"'],
    [{ policies: null }, 'policies: expected a list of policies, got null'],
    [{ policies: ['r'] }, 'policies[0]: expected {_id: "<role>", restrictedTo?: […]}, got "r"'],
    [{ policies: [{}] }, 'policies[0]._id is missing: expected the id of a role'],
    [{ roles: [{ _id: 'r' }, { _id: 7 }] }, 'roles[1]._id: expected the id of a role, got 7'],
    [{ policies: [{ roleId: '' }] }, 'policies[0].roleId: expected the id of a role, got ""'],
    [{ policies: [{ _id: 'a', roleId: 'b' }] }, 'policies[0]: _id and roleId name two roles, expected one'],
    [
      { policies: [{ _id: 'a', restrictTo: [] }] },
      'policies[0].restrictTo is unknown: expected _id, roleId, restrictedTo',
    ],
    [
      { policies: [{ _id: 'a', restrictedTo: { index: 'x' } }] },
      'policies[0].restrictedTo: expected a list of {index, collections?}, got an object',
    ],
    [
      { policies: [{ _id: 'a', restrictedTo: null }] },
      'policies[0].restrictedTo: expected a list of {index, collections?}, got null',
    ],
    [
      { policies: [{ _id: 'a', restrictedTo: ['x'] }] },
      'policies[0].restrictedTo[0]: expected {index, collections?}, got "x"',
    ],
    [
      { policies: [{ _id: 'a', restrictedTo: [{ index: 'x' }, { collections: ['c'] }] }] },
      'policies[0].restrictedTo[1].index is missing',
    ],
    [
      { policies: [{ _id: 'a', restrictedTo: [{ index: 7 }] }] },
      'policies[0].restrictedTo[0].index: expected the name of an index, got 7',
    ],
    [
      { policies: [{ _id: 'a', restrictedTo: [{ index: 'x*' }] }] },
      'policies[0].restrictedTo[0].index: expected the name of an index, got "x*": there are no patterns here',
    ],
    [
      { policies: [{ _id: 'a', restrictedTo: [{ index: 'x', collection: 'c' }] }] },
      'policies[0].restrictedTo[0].collection is unknown: expected index, collections',
    ],
    [
      { policies: [{ _id: 'a', restrictedTo: [{ index: 'x', collections: 'c' }] }] },
      'policies[0].restrictedTo[0].collections: expected a list of names of collections, got "c"',
    ],
    [
      { policies: [{ _id: 'a', restrictedTo: [{ index: 'x', collections: ['c', 1] }] }] },
      'policies[0].restrictedTo[0].collections[1]: expected the name of a collection, got 1',
    ],
  ])('refuses %j', (body, reason) => {
    expect(() => parse(body)).toThrow(
      expect.objectContaining({
        id: 'security.invalid_profile',
        status: 400,
        message: `Invalid profile: ${reason}`,
      }),
    );
  });
});
