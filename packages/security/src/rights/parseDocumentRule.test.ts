import type { DocumentGrant, JsonObject, MillraceError } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { compileRights } from './compileRights.js';
import { mergeRoleBody } from './mergeRoleBody.js';
import { parseRole } from './parseRole.js';
import { isDocumentRule, type Right } from './Right.js';

const OWN = { term: { owner: { $ref: 'user._id' } } };
const PROTECTED = ['team'];

function roleOf(actions: JsonObject, controller: JsonObject = {}, name = 'document'): JsonObject {
  return { controllers: { [name]: { ...controller, actions } } };
}

function rightTo(role: JsonObject, action: string): Right | undefined {
  const { indexes } = parseRole('reader', role, PROTECTED);
  return indexes.get('*')?.collections.get('*')?.controllers.get('document')?.get(action);
}

function grantOf(right: JsonObject, claims: JsonObject): DocumentGrant | null {
  const found = rightTo(roleOf({ search: right }), 'search');
  if (found === undefined || typeof found === 'boolean' || !isDocumentRule(found)) {
    throw new Error('no right on documents');
  }
  return found.resolve(claims);
}

function refusal(role: JsonObject): string {
  try {
    parseRole('reader', role, PROTECTED);
  } catch (error) {
    return (error as MillraceError).message;
  }
  throw new Error('the role was accepted');
}

describe('a right on documents in a role', () => {
  it('SEC-80: is resolved for a user', () => {
    const fields = { only: ['title', 'notes.*'] };
    expect(grantOf({ documents: OWN, fields }, { _id: 'ada' })).toMatchObject({
      documents: { kind: 'term', field: 'owner', value: 'ada' },
      check: { kind: 'term', value: 'ada' },
      fields,
    });
    expect(grantOf({ fields }, {})).toEqual({ documents: null, check: null, fields });
  });

  it.each<[string, JsonObject]>([
    ['controllers.document.actions.get.other is unknown', roleOf({ get: { documents: OWN, other: 1 } })],
    ["when can't be combined", roleOf({ get: { documents: OWN, when: {} } })],
    ['controllers.document.actions.get.documents: expected a query', roleOf({ get: { documents: 1 } })],
    ['controllers.document.actions.get.documents', roleOf({ get: { documents: { nosuch: {} } } })],
    ["query_string can't be used", roleOf({ get: { documents: { query_string: { query: 'a' } } } })],
    [
      "query_string can't be used",
      roleOf({
        get: { documents: { bool: { must_not: { simple_query_string: { query: 'a' } } } } },
      }),
    ],
    ["function_score can't be used", roleOf({ get: { documents: { function_score: { query: OWN, min_score: 2 } } } })],
    [
      "fuzzy can't be used",
      roleOf({ get: { documents: { nested: { path: 'a', query: { fuzzy: { 'a.b': 'x' } } } } } }),
    ],
    ["fuzziness can't be used", roleOf({ get: { documents: { match: { a: { query: 'x', fuzziness: 1 } } } } })],
    [
      "inner_hits can't be used",
      roleOf({
        get: { documents: { nested: { path: 'a', query: { match_all: {} }, inner_hits: {} } } },
      }),
    ],
    ['.fields: expected either', roleOf({ get: { fields: { only: [], except: [] } } })],
    ['.fields.only[0]: expected the name', roleOf({ get: { fields: { only: ['a*'] } } })],
    ['.fields.except[1]: expected the name', roleOf({ get: { fields: { except: ['a', '_meta.author'] } } })],
    ['.check: only actions that write', roleOf({ get: { documents: OWN, check: OWN } })],
    ['mGet are judged', roleOf({ mGet: { documents: OWN } })],
    ['not supported for the action nosuch', roleOf({ nosuch: { documents: OWN } })],
    ['for actions of the controller document', roleOf({ get: { documents: OWN } }, {}, 'index')],
    ['for actions of the controller document', roleOf({ '*': { documents: OWN } }, {}, '*')],
    ['controllers.index.documents is unknown', roleOf({ get: true }, { documents: OWN }, 'index')],
    ['controllers.document.documents: expected a query', roleOf({ get: false }, { documents: 1 })],
  ])('SEC-80: 400: %s', (message, role) => {
    expect(refusal(role)).toContain(message);
  });

  it.each<[string, JsonObject]>([
    ['users could choose the value of user.name', { term: { owner: { $ref: 'user.name' } } }],
    [
      '.documents.bool.filter[0].term.owner.$ref: expected a path',
      { bool: { filter: [{ term: { owner: { $ref: 'request.body' } } }] } },
    ],
    ["can't be a pattern", { wildcard: { path: { $ref: 'user._id' } } }],
    ["can't be a pattern", { regexp: { path: { value: { $ref: 'user.team' } } } }],
    ['documents.prefix: users could choose a user._id', { prefix: { path: { $ref: 'user._id' } } }],
    ['documents.prefix: users could choose', { prefix: { term: { value: { $ref: 'user._id' } } } }],
    ['documents.range: users could choose', { range: { ids: { gte: { $ref: 'user._id' } } } }],
    [
      'documents.term: users could choose',
      { term: { owner: { value: { $ref: 'user._id' }, case_insensitive: true } } },
    ],
    [
      'documents.bool.must_not[0].prefix: users could choose',
      { bool: { must_not: [{ prefix: { path: { $ref: 'user._id' } } }] } },
    ],
    ['documents.exists: users could choose', { exists: { field: { $ref: 'user._id' } } }],
  ])('SEC-81: 400: %s', (message, documents) => {
    expect(refusal(roleOf({ get: { documents } }))).toContain(message);
  });

  it('SEC-81: puts values and lists of the user into the query', () => {
    const documents = (query: JsonObject, claims: JsonObject) => grantOf({ documents: query }, claims);
    const team = { terms: { team: { $ref: 'user.team' } } };
    expect(documents(team, { team: ['a', 'b'] })?.documents).toMatchObject({ values: ['a', 'b'] });
    expect(documents(team, { team: 'a' })?.documents).toMatchObject({ values: ['a'] });
    expect(documents(team, { team: [{}] })).toBeNull();
    expect(documents(team, {})).toBeNull();
    const level = { range: { level: { lte: { $ref: 'user.team.level' } } } };
    expect(documents(level, { team: { level: 3 } })?.documents).toMatchObject({
      upper: { value: 3 },
    });
    expect(documents(level, { team: { level: [3] } })).toBeNull();
    expect(documents({ ids: { values: { $ref: 'user._id' } } }, { _id: 'x' })?.documents).toMatchObject({
      values: ['x'],
    });
  });

  it('SEC-80: of the controller is that of each action that says true', () => {
    const when = { when: { equals: { 'user._id': 'ada' } } };
    const own = { documents: { match_all: {} } };
    const role = roleOf(
      { get: true, search: own, count: when, mGet: true },
      { documents: OWN, fields: { only: ['a'] } },
    );
    expect(rightTo(role, 'get')).toMatchObject({
      body: { documents: OWN, fields: { only: ['a'] } },
    });
    expect(rightTo(role, 'search')).toMatchObject({ body: own });
    expect(rightTo(role, 'count')).toHaveProperty('holds');
    expect(rightTo(role, 'mGet')).toBe(true);
  });

  it('SEC-80: of all actions does not cover actions of plugins', () => {
    const { indexes } = parseRole('reader', roleOf({ '*': { documents: OWN } }));
    const rights = compileRights(
      [{ role: { id: 'r', body: {}, canCreateIndexes: true, indexes }, restrictedTo: null }],
      '%i',
    );
    const decided = ['get', 'update', 'mGet', 'ofPlugin'].map((action) => rights.decide('document', action, 'a', 'b'));
    expect(decided.map((verdict) => typeof verdict)).toEqual(['object', 'object', 'object', 'boolean']);
    expect(decided[3]).toBe(false);
  });

  it('is replaced as a whole when a role is updated', () => {
    const stored = roleOf({ get: { documents: OWN } }, { documents: { term: { a: 1 } }, fields: { only: ['a'] } });
    const change = roleOf({ get: { fields: { only: ['b'] } } }, { documents: { exists: { field: 'b' } } });
    expect(mergeRoleBody(stored, change)).toEqual(
      roleOf({ get: { fields: { only: ['b'] } } }, { documents: { exists: { field: 'b' } }, fields: { only: ['a'] } }),
    );
  });
});
