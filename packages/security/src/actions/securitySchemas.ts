import { schema, type JsonObject } from '@millrace/kernel';

const { text, boolean, integer, number, object, list, mapOf, named, orNull, oneOf } = schema;

const secret: JsonObject = { type: 'string', writeOnly: true };
const right = named('Right', {
  description: 'Granted, refused, or granted where a filter matches request, user and document.',
  anyOf: [{ type: 'boolean' }, object({ when: { type: 'object' } })],
});
const actions = object({ actions: mapOf(right) });
const flat = { ...object({ controllers: mapOf(actions) }), description: 'Everywhere.' };
// `_canCreate` and `_canDelete` are siblings of the index and collection names.
const flag: JsonObject = { type: 'boolean' };
const collection = object({ controllers: mapOf(actions) }, { _canDelete: flag });
const index = object(
  { collections: { ...object({}, { _canCreate: flag }), additionalProperties: collection } },
  { _canDelete: flag },
);
const tree = {
  ...object({ indexes: { ...object({}, { _canCreate: flag }), additionalProperties: index } }),
  description: 'By index and collection; `*` stands for every other name.',
};
const role = named('Role', { type: 'object', anyOf: [tree, flat] });

const restriction = object({ index: text }, { collections: list(text) });
const policyInput = named(
  'Policy',
  object({}, { _id: text, roleId: text, restrictedTo: list(restriction) }),
  'A role, named by `roleId` or `_id`, and where it holds.',
);
const policy = object({ _id: text, roleId: text }, { restrictedTo: list(restriction) });
const rateLimit = {
  ...object({ perSecond: number }, { burst: integer(1) }),
  description: 'Of each user with the profile; 0 per second is no limit.',
};
const profileSource = named('Profile', object({ policies: { ...list(policy), minItems: 1 } }, { rateLimit }));
const profileInput = named(
  'ProfileBody',
  object({}, { policies: list(policyInput), roles: list(policyInput), rateLimit: orNull(rateLimit) }),
  'Policies, under the name `policies` or `roles`; not empty.',
);

/** An object that may have members not listed in its schema. */
const open = (inner: JsonObject): JsonObject => ({ ...inner, additionalProperties: true });

const userSource = named(
  'User',
  open(object({ profileIds: list(text), profileId: text }, { suid: text })),
  'Free properties in addition to profiles; never anything secret.',
);
const userInput = (description: string, always: Record<string, JsonObject> = {}) => ({
  ...open(object(always, { profileIds: list(text), profileId: text, suid: text, password: secret })),
  description,
});
const currentPassword: JsonObject = {
  ...secret,
  description: 'The current password; needed unless the login was in the last 5 minutes.',
};
const ownProperties = {
  ...open(object({}, { password: secret })),
  description: 'Free properties.',
};

const rightsItem = named(
  'RightsItem',
  object({
    controller: text,
    action: text,
    index: text,
    collection: text,
    value: oneOf('allowed', 'conditional', 'denied'),
  }),
);

const written = (source: JsonObject, reportsCreated: boolean, more: Record<string, JsonObject> = {}) =>
  object(
    { _id: text, _index: text, _type: text, _version: integer(1), _source: source },
    reportsCreated ? { created: boolean, ...more } : more,
  );
const warnings = { ...list(text), description: 'Absent where there are none.' };
const madeWhileOpen: JsonObject = {
  ...object({ users: list(text), profiles: list(text), roles: list(text) }, { truncated: boolean }),
  description: 'Identifiers of what was there before, but for what is built in; at most 1,000 each.',
};
const stored = (source: JsonObject) => object({ _id: text, _source: source });
const hitList = (hit: JsonObject) =>
  object({
    hits: list(hit),
    total: integer(),
    max_score: orNull(number),
    timed_out: boolean,
    took: integer(),
    _shards: object({ total: integer(), successful: integer(), failed: integer() }),
  });
const roleHit = object({ _id: text, _index: text, _type: text, _score: number, _source: role });
const ownProfile = object({
  _id: text,
  roles: list(object({ _id: text }, { restrictedTo: list(restriction) })),
});
const time = { ...integer(), description: 'UTC milliseconds.' };
const timeOrNever = { ...orNull(integer()), description: 'UTC milliseconds; null: never.' };
const keyOptions = {
  policies: orNull(list(policyInput)),
  expiresAt: timeOrNever,
  allowedAddresses: orNull(list(text)),
};

/** Request and response schemas of this package's actions. */
export const securitySchemas = {
  empty: object({}),
  boolean,
  acknowledged: named('Acknowledged', object({ acknowledged: { const: true } })),
  role,
  roleChange: { ...object({}, { indexes: { type: 'object' }, controllers: { type: 'object' } }) },
  profileInput,
  newUser: userInput('Profiles, credentials by the properties of their strategies, and free properties.'),
  userChange: userInput('What changes: profiles, credentials, free properties.'),
  ownProperties,
  ownChange: {
    ...open(object({}, { password: secret, currentPassword })),
    description: 'Free properties, and credentials.',
  },
  credentials: {
    ...open(object({}, { currentPassword })),
    description: 'Properties of the strategy.',
  },
  confirmation: object({}, { currentPassword }),
  mapping: object({}, { properties: { type: 'object' } }),
  userMapping: object({ mapping: { type: 'object' } }),
  query: {
    type: 'object',
    description: 'A search of the query language, its query or filter; empty: every user.',
  },
  loginParameters: {
    ...open(
      object(
        {},
        {
          ...{ username: text, password: secret, code: text, state: text, stateSecret: text },
          ...{ returnTicket: text, returnVerifier: secret },
        },
      ),
    ),
    description: 'Parameters of the strategy; those of `local` are `username` and `password`.',
  },
  login: named('Login', object({ _id: text, jwt: text })),
  tokenState: object(
    { valid: boolean },
    {
      state: oneOf('malformed', 'invalid signature', 'expired', 'revoked'),
      expiresAt: timeOrNever,
    },
  ),
  newToken: object({ _id: text, jwt: text, expiresAt: time }),
  newApiKey: object({ name: text }, keyOptions),
  ownNewApiKey: object({ name: text }, { ...keyOptions, currentPassword }),
  ownRotation: object({}, { currentPassword }),
  createdApiKey: named('CreatedApiKey', object({ _id: text, key: text, name: text, expiresAt: timeOrNever })),
  apiKeys: object({
    hits: list(
      named(
        'ApiKey',
        object(
          {
            _id: text,
            name: text,
            policies: orNull(list(policy)),
            expiresAt: timeOrNever,
            lastUsedAt: timeOrNever,
            createdAt: time,
          },
          { allowedAddresses: list(text) },
        ),
      ),
    ),
    total: integer(),
  }),
  strategies: list(text),
  currentUser: object({
    _id: text,
    _source: {
      ...open(
        object({
          profileIds: list(text),
          profileId: text,
          profile: orNull(ownProfile),
          profiles: list(ownProfile),
        }),
      ),
      description: 'Free properties, profiles and their roles.',
    },
  }),
  rights: object({ hits: list(rightsItem) }),
  askedRight: object(
    { controller: text, action: text },
    {
      index: text,
      collection: text,
      _id: { ...text, description: 'Judges the right for this document.' },
      apiKeyId: { ...text, description: 'An API key of the user, whose policies limit the right.' },
      ids: { ...list(text), description: 'Also judges the right for each of these documents, at most 100.' },
    },
  ),
  explainedRight: object(
    {
      allowed: { type: 'boolean' },
      reason: text,
      decidedBy: list(
        object(
          { role: text, path: text, reason: text },
          {
            profile: { ...text, description: 'Absent in a policy of the API key.' },
            apiKey: { ...text, description: 'The API key whose policy it is.' },
          },
        ),
      ),
    },
    {
      documents: {
        type: 'object',
        description: 'A query, with the values of the user; absent: every document.',
      },
      fields: {
        anyOf: [{ type: 'object' }, list({ type: 'object' })],
        description:
          '`{only}` or `{except}`, or several of them if the policies differ; `{both}`: of the user and of the API key; absent: all.',
      },
      items: {
        ...list(object({ _id: text, allowed: { type: 'boolean' } }, { except: list(text) })),
        description:
          'The documents of `ids` that the caller may get: whether the right covers each, and its fields that the right doesn’t cover.',
      },
    },
  ),
  storedUser: stored(userSource),
  storedRole: stored(role),
  storedProfile: stored(profileSource),
  deleted: object({ _id: text }),
  writtenUser: written(userSource, true),
  updatedUser: written(userSource, false),
  writtenRole: written(role, true, { warnings }),
  updatedRole: written(role, false, { warnings }),
  writtenProfile: written(profileSource, true, { warnings }),
  updatedProfile: written(profileSource, false, { warnings }),
  firstAdministrator: written(userSource, true, { madeWhileOpen }),
  foundUsers: object({ total: integer(), hits: list(stored(userSource)) }),
  profiles: object({ hits: list(stored(profileSource)), total: integer() }),
  foundProfiles: hitList(stored(profileSource)),
  roles: hitList(roleHit),
} as const;
