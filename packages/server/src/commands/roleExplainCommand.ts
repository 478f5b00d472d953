import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import type { Command } from './Command.js';
import { UsageError } from './UsageError.js';
import { TARGET_OPTIONS, withTarget } from './withTarget.js';

const PLACE = ['index', 'collection', 'id'] as const;

/** Tells whether a user may run an action, and which roles decide it. */
export const roleExplainCommand: Command = {
  name: 'role explain',
  summary: 'Tells whether a user may run an action, and which profiles and roles decide it',
  description: 'Exit code 0 also if the user may not.',
  arguments: [
    { name: 'USER', doc: 'id of the user; -1: without a login (after --)' },
    { name: 'ACTION', doc: 'such as document.get' },
  ],
  options: {
    index: { value: 'INDEX', doc: 'index of the action' },
    collection: { value: 'COLLECTION', doc: 'collection of the action' },
    id: { value: 'ID', doc: 'document of the action' },
    ...TARGET_OPTIONS,
  },
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const user = call.argument(0);
    const [controller = '', action] = call.argument(1).split('.');
    if (action === undefined) throw new UsageError('ACTION: expected a name such as document.get');
    const place = PLACE.flatMap((name) => {
      const value = call.value(name);
      return value === undefined ? [] : [[name === 'id' ? '_id' : name, value] as const];
    });
    const body = { controller, action, ...Object.fromEntries(place) };
    const json = await withTarget(call, (target) =>
      target.execute('security', 'explainRights', { _id: user, body }),
    );
    return { text: describe(`${user}: ${controller}.${action}`, json), json };
  },
};

function describe(what: string, answer: JsonValue): string {
  const { allowed, reason, decidedBy, ...limits } = isJsonObject(answer)
    ? answer
    : ({} as JsonObject);
  const policies = Array.isArray(decidedBy) ? (decidedBy as readonly JsonValue[]) : [];
  return [
    `${what}: ${allowed === true ? 'allowed' : 'not allowed'}: ${textOf(reason)}`,
    ...Object.entries(limits).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
    ...policies.map((policy) => {
      const {
        profile,
        role,
        path,
        reason: why,
      } = isJsonObject(policy) ? policy : ({} as JsonObject);
      const place = [profile, role, path].map((part) => JSON.stringify(part)).join(' ');
      return `  ${place}: ${textOf(why)}`;
    }),
    '',
  ].join('\n');
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
