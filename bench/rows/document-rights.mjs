// Processor time of requests of users with a right on documents; the peer has the same clause in the query, and the same
// fields in `_source`. Both in one server. `--documents N`, `--only TEXT` (rows whose title contains it).
import { localAuth } from '@millrace/auth-local';
import { JsonText } from '@millrace/kernel';
import { CountingProtocol } from '../CountingProtocol.mjs';
import { documentSource, MAPPING } from '../documents.mjs';
import { openKernel } from '../openKernel.mjs';

const AT = { index: 'bench', collection: 'notes' };
const BATCH = 5_000;
const IDS_PER_MGET = 20;

/** Rights, and what a user without one writes in place of them. */
const RIGHTS = {
  'one clause, 2 %': { policies: [{ documents: { term: { status: 'status-7' } } }] },
  'one clause, 25 %': { policies: [{ documents: { range: { quantity: { lt: 250 } } } }] },
  'the own level, 10 %': {
    policies: [{ documents: { term: { level: { $ref: 'user.level' } } } }],
    clause: { term: { level: 3 } },
  },
  'two policies, 12 %': {
    policies: [{ documents: { term: { status: 'status-7' } } }, { documents: { term: { level: 3 } } }],
    clause: { bool: { should: [{ term: { status: 'status-7' } }, { term: { level: 3 } }] } },
  },
  'fewer fields, 10 %': {
    policies: [{ documents: { term: { level: 3 } }, fields: { except: ['session', 'country'] } }],
    excludes: ['session', 'country'],
  },
}; // prettier-ignore

export async function* rows({ rounds, isQuick, only, documentCount = isQuick ? 5_000 : 100_000 }) {
  const protocol = new CountingProtocol();
  const server = await openKernel(
    { security: { protectedProperties: ['level'] } },
    [localAuth(), protocol.plugin],
  );
  const source = documentSource();
  await fill(server, source, documentCount);
  const call = protocol.connect();
  const whole = await user(server, call, 'whole', [{}]);
  const tokens = new Map();
  for (const [name, { policies }] of Object.entries(RIGHTS)) {
    tokens.set(name, await user(server, call, name, policies));
  }
  // Rights are in force once there is an administrator.
  await server.request({ controller: 'security', action: 'createFirstAdmin', _id: 'admin', body: { password: 'a long password' } });
  for (const [name, right] of Object.entries(RIGHTS)) {
    const { policies, clause = policies[0].documents, excludes } = right;
    const limited = tokens.get(name);
    const found = await call({ controller: 'document', action: 'count', ...AT, jwt: limited, body: {} });
    const own = ownIds(await searchIds(call, whole, clause));
    for (const [kind, request] of Object.entries(kinds(source, { clause, excludes, own }))) {
      const title = `${name}: ${kind}`;
      if (only !== undefined && !new RegExp(only).test(title)) continue;
      const figures = { ours: [], peer: [] };
      const count = isQuick ? 20 : countOf(kind);
      for (let round = -1; round < rounds; round++) {
        const asked = Array.from({ length: count }, request);
        const sides = { ours: [limited, ({ ours }) => ours], peer: [whole, ({ peer }) => peer] };
        for (const side of round % 2 === 0 ? ['ours', 'peer'] : ['peer', 'ours']) {
          const [jwt, of] = sides[side];
          const before = kind.endsWith('after a write') ? () => write(call, whole, source) : null;
          const microseconds = await measure(call, jwt, asked.map(of), before);
          if (round >= 0) figures[side].push(microseconds);
        }
      }
      const isBound = kind.startsWith('search') || kind.startsWith('count');
      yield { title, unit: 'µs', ...figures, target: isBound ? '≤ 1.3' : undefined, note: `${JSON.parse(textOf(found)).count} documents` };
    }
  }
  await server.close();
} // prettier-ignore

function countOf(kind) {
  return kind.includes('write') ? 60 : kind.startsWith('search') ? 150 : 400;
}

async function fill(server, source, documentCount) {
  await server.request({ controller: 'collection', action: 'create', ...AT, body: MAPPING });
  for (let from = 0; from < documentCount; from += BATCH) {
    const length = Math.min(BATCH, documentCount - from);
    const bulkData = Array.from({ length }, (_, i) => [{ index: { _id: `d${from + i}` } }, source.make()]).flat();
    await server.request({ controller: 'bulk', action: 'import', ...AT, body: { bulkData } });
  }
} // prettier-ignore

/** A user whose policies have these rights on documents. @returns a token */
async function user(server, call, name, policies) {
  const id = name.replace(/\W+/g, '-');
  const security = (action, body, _id = id) => server.request({ controller: 'security', action, _id, body });
  const roles = policies.map((limits, at) => [`${id}-${at}`, limits]);
  for (const [role, limits] of roles) {
    const right = Object.keys(limits).length === 0 ? true : limits;
    const actions = Object.fromEntries(['search', 'count', 'get'].map((action) => [action, right]));
    const controllers = { document: { actions: { ...actions, mGet: true, create: true } } };
    await security('createRole', { controllers }, role);
  }
  await security('createProfile', { policies: roles.map(([roleId]) => ({ roleId })) });
  await security('createUser', { profileIds: [id], level: 3, password: 'a long password' });
  const body = { username: id, password: 'a long password' };
  return JSON.parse(textOf(await call({ controller: 'auth', action: 'login', body }))).jwt;
} // prettier-ignore

async function searchIds(call, jwt, query) {
  const body = { query, size: 200, _source: false };
  return JSON.parse(textOf(await call({ controller: 'document', action: 'search', ...AT, jwt, body })));
}

function ownIds({ hits }) {
  return hits.map(({ _id }) => _id);
}

/** Pairs of requests, those of the peer with the clause. */
function kinds(source, { clause, excludes, own }) {
  const { integer } = source;
  const document = (action, fields) => ({ controller: 'document', action, ...AT, ...fields });
  const pair = (action, { query, ...rest }) => {
    const filter = [clause];
    const bool = query === undefined ? { filter } : { must: [query], filter };
    const shown = excludes === undefined || action === 'count' ? {} : { _source: { excludes } };
    return {
      ours: document(action, { body: { ...(query && { query }), ...rest } }),
      peer: document(action, { body: { query: { bool }, ...rest, ...shown } }),
    };
  };
  const both = (request) => ({ ours: request, peer: request });
  const match = (a, b) => ({ query: { match: { title: `${source.wordAt(a)} ${source.wordAt(b)}` } } });
  const id = () => own[integer(own.length)];
  return {
    'search, 2 frequent words': () => pair('search', match(integer(20), integer(20))),
    'search, 2 middling words': () => pair('search', match(200 + integer(200), 200 + integer(200))),
    'search, term of 2 %': () => pair('search', { query: { term: { status: `status-${integer(50)}` } } }),
    'search, sorted by number': () => pair('search', { sort: [{ amount: 'desc' }], size: 10 + integer(3) }),
    'search, 100 hits': () => pair('search', { size: 90 + integer(10) }),
    'search, terms aggregation': () => pair('search', { size: 0, aggs: { x: { terms: { field: 'customer', size: 10 + integer(10) } } } }),
    'search, histogram by day': () => pair('search', { size: 0, aggs: { x: { date_histogram: { field: 'created', calendar_interval: 'day' } } } }),
    'search, 2 words after a write': () => pair('search', match(integer(20), 200 + integer(200))),
    'search, sorted after a write': () => pair('search', { sort: [{ amount: 'desc' }] }),
    'count, term of 2 %': () => pair('count', { query: { term: { status: `status-${integer(50)}` } } }),
    'get': () => both(document('get', { _id: id() })),
    'mGet': () => both(document('mGet', { body: { ids: Array.from({ length: IDS_PER_MGET }, id) } })),
  };
} // prettier-ignore

function write(call, jwt, source) {
  return call({ controller: 'document', action: 'create', ...AT, jwt, body: source.make() });
}

/** The answer as it is sent. */
function textOf(result) {
  return result instanceof JsonText ? result.text : JSON.stringify(result);
}

/** @returns microseconds of processor time of all threads per request */
async function measure(call, jwt, requests, before) {
  let microseconds = 0;
  for (const request of requests) {
    await before?.();
    const start = process.cpuUsage();
    textOf(await call({ ...request, jwt }));
    const { user, system } = process.cpuUsage(start);
    microseconds += user + system;
  }
  return microseconds / requests.length;
}
