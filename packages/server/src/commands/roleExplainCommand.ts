import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import type { Command } from './Command.js';
import { UsageError } from './UsageError.js';
import { TARGET_OPTIONS, withTarget } from './withTarget.js';

/** Options, and their names in the body. */
const ASKED = { index: 'index', collection: 'collection', id: '_id', key: 'apiKeyId' } as const;

/** Tells whether a user may run an action, and which roles decide it. */
export const roleExplainCommand: Command = {
  name: 'role explain',
  summary: 'Tells whether a user or an API key may run an action, and which profiles and roles decide it',
  description: 'Exit code 0 also if the user may not.',
  arguments: [
    { name: 'USER', doc: 'id of the user; -1: without a login (after --)' },
    { name: 'ACTION', doc: 'such as document.get' },
  ],
  options: {
    index: { value: 'INDEX', doc: 'index of the action' },
    collection: { value: 'COLLECTION', doc: 'collection of the action' },
    id: { value: 'ID', doc: 'document of the action' },
    key: { value: 'KEY_ID', doc: 'an API key of the user, by its id' },
    ...TARGET_OPTIONS,
  },
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const user = call.argument(0);
    const [controller = '', action] = call.argument(1).split('.');
    if (action === undefined) throw new UsageError('ACTION: expected a name such as document.get');
    const asked = Object.entries(ASKED).flatMap(([option, name]) => {
      const value = call.value(option);
      return value === undefined ? [] : [[name, value] as const];
    });
    const body = { controller, action, ...Object.fromEntries(asked) };
    const json = await withTarget(call, (target) => target.execute('security', 'explainRights', { _id: user, body }));
    const key = call.value('key');
    const whose = key === undefined ? user : `${user}, API key ${key}`;
    return { text: describe(`${whose}: ${controller}.${action}`, json), json };
  },
};

function describe(what: string, answer: JsonValue): string {
  const { allowed, reason, decidedBy, ...limits } = isJsonObject(answer) ? answer : ({} as JsonObject);
  const policies = Array.isArray(decidedBy) ? (decidedBy as readonly JsonValue[]) : [];
  return [
    `${what}: ${allowed === true ? 'allowed' : 'not allowed'}: ${textOf(reason)}`,
    ...Object.entries(limits).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
    ...policies.map((policy) => {
      const { profile, apiKey, role, path, reason: why } = isJsonObject(policy) ? policy : ({} as JsonObject);
      const from = profile ?? `API key ${textOf(apiKey)}`;
      const place = [from, role, path].map((part) => JSON.stringify(part)).join(' ');
      return `  ${place}: ${textOf(why)}`;
    }),
    '',
  ].join('\n');
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
