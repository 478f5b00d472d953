// The decision about rights alone, as it is taken for every request: 50 roles, 20 policies of one user, requests over many
// indexes and collections, known and made up. No peer: a figure and a target. The first decision in a place is cold.
import { compileRights, parsePolicies, parseRole } from '../../packages/security/dist/index.js';
import { perSecond } from '../perSecond.mjs';

const ROLE_COUNT = 50;
const POLICY_COUNT = 20;
const INDEX_COUNT = 100;
const COLLECTION_COUNT = 20;
const CONTROLLERS = ['document', 'collection', 'index', 'realtime', 'bulk', 'server', 'auth'];
const ACTIONS = ['get', 'search', 'create', 'update', 'delete', 'count', 'list', 'subscribe'];

export async function* rows({ rounds, isQuick }) {
  const count = isQuick ? 20_000 : 1_000_000;
  const random = sequence(11);
  const roles = Array.from({ length: ROLE_COUNT }, (_, i) => parseRole(`r${i}`, roleBody(random)));
  const grants = parsePolicies({
    policies: Array.from({ length: POLICY_COUNT }, () => policyBody(random)),
  }).map(({ roleId, restrictedTo }) => ({
    role: roles.find(({ id }) => id === roleId),
    restrictedTo,
  }));
  const requests = Array.from({ length: 50_000 }, () => request(random));
  const rights = compileRights(grants, '%millrace');
  const [warm, cold] = [[], []];
  for (let round = -1; round < rounds; round++) {
    const decisions = await perSecond(count, () => decideAll(rights, requests, count));
    const first = await perSecond(requests.length, () =>
      decideAll(compileRights(grants, '%millrace'), requests, requests.length),
    );
    // The first round warms up.
    if (round < 0) continue;
    warm.push(1e9 / decisions);
    cold.push(1e9 / first);
  }
  const title = `rights decision, ${ROLE_COUNT} roles, ${POLICY_COUNT} policies, ${INDEX_COUNT} indexes`;
  yield { title, unit: 'ns', ours: warm, target: '< 2,000' };
  yield { title: 'the same, compiled again: the first 50,000', unit: 'ns', ours: cold };
}

function decideAll(rights, requests, count) {
  let allowed = 0;
  for (let i = 0; i < count; i++) {
    const { controller, action, index, collection } = requests[i % requests.length];
    if (rights.decide(controller, action, index, collection) !== false) allowed++;
  }
  return allowed;
}

/** Half of the roles are flat; trees name 10 indexes with 5 collections each. */
function roleBody(random) {
  const controllers = () =>
    named(random, 3, CONTROLLERS, () => ({
      actions: named(random, 4, ACTIONS, () => right(random)),
    }));
  if (random() < 0.5) return { controllers: controllers() };
  return {
    indexes: named(random, 10, names('index', INDEX_COUNT), () => ({
      collections: named(random, 5, names('collection', COLLECTION_COUNT), () => ({
        controllers: controllers(),
      })),
    })),
  };
}

function right(random) {
  const dice = random();
  if (dice < 0.1) return { when: { equals: { 'request.body.owner': { $ref: 'user._id' } } } };
  return dice < 0.8;
}

function policyBody(random) {
  const roleId = `r${Math.floor(random() * ROLE_COUNT)}`;
  if (random() < 0.5) return { roleId };
  return {
    roleId,
    restrictedTo: Array.from({ length: 5 }, () => ({
      index: `index${Math.floor(random() * INDEX_COUNT)}`,
      ...(random() < 0.5 && {
        collections: [`collection${Math.floor(random() * COLLECTION_COUNT)}`],
      }),
    })),
  };
}

/** Every fifth request names an index or collection that no role knows. */
function request(random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const made = random() < 0.2 ? `-${Math.floor(random() * 1e6)}` : '';
  return {
    controller: pick(CONTROLLERS),
    action: pick(ACTIONS),
    // Separate strings, as decoded requests have them.
    index: JSON.parse(`"index${Math.floor(random() * INDEX_COUNT)}${made}"`),
    collection: JSON.parse(`"collection${Math.floor(random() * COLLECTION_COUNT)}${made}"`),
  };
}

function named(random, count, all, make) {
  const entries = Array.from({ length: count }, () => [
    random() < 0.2 ? '*' : all[Math.floor(random() * all.length)],
    make(),
  ]);
  return Object.fromEntries(entries);
}

function names(prefix, count) {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}

/** Numbers from 0 to 1, the same ones at every run. */
function sequence(seed) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
