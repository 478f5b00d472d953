/*
 * Compares the compiled rights with an independent resolver that walks the roles as sent, written from SEC-10 to
 * SEC-22 and sharing only the parsers; and the lists of rights with the decisions.
 */
import { isJsonObject, type ActionEffect, type JsonObject, type JsonValue } from '@millrace/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRights } from './compileRights.js';
import type { ConditionContext } from './Condition.js';
import { parsePolicies } from './parsePolicies.js';
import { parseRole } from './parseRole.js';
import { isDocumentRule } from './Right.js';
import type { Rights } from './Rights.js';
import type { RightsItem } from './RightsItem.js';

const INTERNAL = '%system';
const SEED = 20_261_121;

type Value = 'allowed' | 'conditional' | 'denied';

interface RawPolicy {
  readonly role: JsonObject;
  readonly restrictedTo?: readonly {
    readonly index: string;
    readonly collections?: readonly string[];
  }[];
}

interface Question {
  readonly controller: string;
  readonly action: string;
  readonly index: string | null;
  readonly collection: string | null;
  readonly effects: readonly ActionEffect[];
}

const EFFECTS = ['createsIndex', 'createsCollection', 'deletesIndex', 'deletesCollection'] as const;
const INDEXES = ['a', 'b', 'hasOwnProperty', 'constructor', INTERNAL];
const COLLECTIONS = ['k', 'l', 'toString'];
const CONTROLLERS = ['document', 'index', '__proto__'];
const ACTIONS = ['get', 'delete', 'constructor'];

const flag = (key: string) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    fc.boolean().map((value) => ({ [key]: value })),
  );

/**
 * Keys are defined by `fromEntries`, including `__proto__`. At least one key, so that a list of rights contains each
 * index and collection.
 */
function named<T>(names: readonly string[], value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom('*', ...names), value), {
      minLength: 1,
      maxLength: 3,
      selector: ([name]) => name,
    })
    .map((entries) => Object.fromEntries(entries));
}

const right = fc.oneof(
  { weight: 3, arbitrary: fc.boolean() },
  fc.constantFrom('a', 'b').map((index) => ({ when: { equals: { 'request.index': index } } })),
  fc.constant({ when: { exists: { field: 'document.owner' } } }),
);
const controllers = named(
  CONTROLLERS,
  named(ACTIONS, right).map((actions) => ({ actions })),
);
const collection = fc.tuple(flag('_canDelete'), controllers).map(([own, each]) => ({ ...own, controllers: each }));
const index = fc
  .tuple(flag('_canDelete'), flag('_canCreate'), named(COLLECTIONS, collection))
  .map(([own, below, collections]) => ({ ...own, collections: { ...collections, ...below } }));
const role: fc.Arbitrary<JsonObject> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(flag('_canCreate'), named(INDEXES, index))
      .map(([own, indexes]) => ({ indexes: { ...indexes, ...own } })),
  },
  controllers.map((each) => ({ controllers: each })),
);
const restriction = fc.tuple(
  fc.constantFrom(...INDEXES, 'unnamed'),
  fc.option(fc.uniqueArray(fc.constantFrom(...COLLECTIONS, 'unnamed')), { nil: undefined }),
);
const policy: fc.Arbitrary<RawPolicy> = fc
  .tuple(role, fc.option(fc.array(restriction, { maxLength: 3 }), { nil: undefined }))
  .map(([body, limits]) => ({
    role: body,
    ...(limits && {
      restrictedTo: limits.map(([name, collections]) => ({
        index: name,
        ...(collections && { collections }),
      })),
    }),
  }));
const question: fc.Arbitrary<Question> = fc.record({
  controller: fc.constantFrom(...CONTROLLERS, 'other', 'toString'),
  action: fc.constantFrom(...ACTIONS, 'other', '__proto__'),
  index: fc.constantFrom(...INDEXES, 'unnamed', 'other', '__proto__', null),
  collection: fc.constantFrom(...COLLECTIONS, 'unnamed', 'other', '__proto__', null),
  effects: fc.subarray([...EFFECTS]),
});

// The resolver of the specification, on the JSON as sent.

const own = (object: JsonValue | undefined, key: string | null): JsonValue | undefined =>
  isJsonObject(object) && key !== null && Object.hasOwn(object, key) ? object[key] : undefined;
const exactOrStar = (object: JsonValue | undefined, key: string | null) => own(object, key) ?? own(object, '*');
const isFalse = (object: JsonValue | undefined, key: string) => own(object, key) === false;

function naive({ role: body, restrictedTo }: RawPolicy, asked: Question): JsonValue {
  if (asked.index === INTERNAL) return false;
  if (restrictedTo && asked.index !== null) {
    const isInside = restrictedTo.some(
      (entry) =>
        entry.index === asked.index &&
        (entry.collections === undefined ||
          (asked.collection !== null && entry.collections.includes(asked.collection))),
    );
    if (!isInside) return false;
  }
  const indexes = own(body, 'indexes') ?? { '*': { collections: { '*': body } } };
  const ofIndex = exactOrStar(indexes, asked.index);
  const collections = own(ofIndex, 'collections');
  const ofCollection = exactOrStar(collections, asked.collection);
  const actions = own(exactOrStar(own(ofCollection, 'controllers'), asked.controller), 'actions');
  const found = exactOrStar(actions, asked.action) ?? false;
  const entries = isJsonObject(collections) ? Object.values(collections) : [];
  const isForbidden = {
    createsIndex: isFalse(indexes, '_canCreate'),
    createsCollection: isFalse(collections, '_canCreate'),
    deletesIndex: isFalse(ofIndex, '_canDelete') || entries.some((each) => isFalse(each, '_canDelete')),
    deletesCollection: isFalse(ofCollection, '_canDelete'),
  };
  return asked.effects.some((effect) => isForbidden[effect]) ? false : found;
}

function naiveValue(policies: readonly RawPolicy[], asked: Question): Value {
  const found = policies.map((each) => naive(each, asked));
  if (found.includes(true)) return 'allowed';
  return found.some((each) => each !== false) ? 'conditional' : 'denied';
}

/** The two conditions that the generator produces. */
function naiveHolds(when: JsonValue, asked: Question, hasDocument: boolean): boolean {
  const text = JSON.stringify(when);
  if (text.includes('document.owner')) return hasDocument;
  return text.includes(`"request.index":${JSON.stringify(asked.index)}`);
}

function compile(policies: readonly RawPolicy[]): Rights {
  const bodies = policies.map(({ restrictedTo }, i) => ({
    _id: `${i}`,
    ...(restrictedTo && { restrictedTo }),
  }));
  const parsed = parsePolicies({ policies: bodies });
  const grants = parsed.map(({ roleId, restrictedTo }, i) => ({
    role: parseRole(roleId, policies[i]?.role ?? {}),
    restrictedTo,
  }));
  return compileRights(grants, INTERNAL);
}

function valueOf(rights: Rights, asked: Question): Value {
  const { controller, action, index: of, collection: within, effects } = asked;
  const verdict = rights.decide(controller, action, of, within, effects);
  return verdict === true ? 'allowed' : verdict === false ? 'denied' : 'conditional';
}

/**
 * Reads a list of rights as a tree: index, collection, controller, action; exact, otherwise `*`, otherwise denied.
 */
function lookUp(items: readonly RightsItem[], asked: Question): Value {
  let left = items;
  for (const level of ['index', 'collection', 'controller', 'action'] as const) {
    const exact = left.filter((item) => item[level] === asked[level]);
    left = exact.length > 0 ? exact : left.filter((item) => item[level] === '*');
  }
  return left[0]?.value ?? 'denied';
}

describe('the compiled rights', () => {
  it('decide as the roles say when they are walked as sent', () => {
    const run = fc.property(
      fc.array(policy, { minLength: 1, maxLength: 5 }),
      fc.array(question, { minLength: 1, maxLength: 20 }),
      (policies, questions) => {
        const rights = compile(policies);
        return questions.every((asked) => valueOf(rights, asked) === naiveValue(policies, asked));
      },
    );
    fc.assert(run, { numRuns: 5_000, seed: SEED });
  });

  it('give the conditions of the policies that count, and each holds as its filter says', () => {
    const run = fc.property(
      fc.array(policy, { minLength: 1, maxLength: 4 }),
      question,
      fc.boolean(),
      (policies, asked, hasDocument) => {
        const { controller, action, index: of, collection: within, effects } = asked;
        const verdict = compile(policies).decide(controller, action, of, within, effects);
        const context: ConditionContext = {
          request: { controller, action, index: of, collection: within },
          user: { _id: 'ada' },
          document: hasDocument ? { owner: 'ada' } : null,
        };
        const found = policies.map((each) => naive(each, asked));
        const expected = found.some(
          (each) => each === true || (each !== false && naiveHolds(each, asked, hasDocument)),
        );
        const actual =
          typeof verdict === 'boolean' ? verdict : verdict.some((each) => !isDocumentRule(each) && each.holds(context));
        return actual === expected;
      },
    );
    fc.assert(run, { numRuns: 1_000, seed: SEED });
  });
});

describe('the lists of rights', () => {
  it('say of every place what is decided there, each place once, sorted', () => {
    const run = fc.property(fc.array(policy, { minLength: 1, maxLength: 5 }), (policies) => {
      const rights = compile(policies);
      const items = rights.items();
      const keys = items.map((each) => [each.controller, each.action, each.index, each.collection].join('\0'));
      expect(keys).toEqual([...new Set(keys)].sort());
      return items.every(({ value, ...place }) => {
        // A name that no policy mentions corresponds to the `*` of a list.
        const asked = Object.fromEntries(
          Object.entries(place).map(([level, name]) => [level, name === '*' ? 'nobody' : name]),
        );
        return value === naiveValue(policies, { ...asked, effects: [] } as unknown as Question);
      });
    });
    fc.assert(run, { numRuns: 5_000, seed: SEED });
  });

  it('of one policy decide every request that names an index, read as a tree', () => {
    const run = fc.property(policy, fc.array(question, { minLength: 1, maxLength: 20 }), (each, questions) => {
      const rights = compile([each]);
      const items = rights.items();
      // Requests without an index ignore restrictions, and a list has no entry for them.
      const listed = questions.filter(
        (asked) => asked.index !== INTERNAL && (asked.index !== null || !each.restrictedTo),
      );
      return listed.every((asked) => lookUp(items, asked) === valueOf(rights, { ...asked, effects: [] }));
    });
    fc.assert(run, { numRuns: 5_000, seed: SEED });
  });

  it('of several policies decide together what any of them decides alone', () => {
    const run = fc.property(
      fc.array(policy, { minLength: 1, maxLength: 4 }),
      fc.array(question, { minLength: 1, maxLength: 20 }),
      (policies, questions) => {
        const rights = compile(policies);
        const lists = policies.map((each) => compile([each]).items());
        const listed = questions.filter(({ index: of }) => of !== null && of !== INTERNAL);
        return listed.every((asked) => {
          const values = lists.map((items) => lookUp(items, asked));
          const best = (['allowed', 'conditional'] as const).find((value) => values.includes(value)) ?? 'denied';
          return valueOf(rights, { ...asked, effects: [] }) === best;
        });
      },
    );
    fc.assert(run, { numRuns: 1_000, seed: SEED });
  });
});
