import { format, resolveConfig } from 'prettier';
import { byController } from './actionsPage.mjs';
import { comment, SchemaTypes } from './SchemaTypes.mjs';

const made = 'Made by `node scripts/generateTypes.mjs`. Do not edit.';

/** Absent only where the search says `_source: false`: whoever does so reads none. */
const USUAL_MEMBERS = { SearchHit: ['_source'] };

/** Declared in ActionMap.ts for both files. */
const SHARED_TYPES = ['DocumentMetadata'];

/**
 * packages/actions/src/ActionMap.ts: fields and result of each action. The second names of controllers are those of the
 * kernel's `ActionTable`.
 */
export async function actionTypes(actions, file) {
  const types = new SchemaTypes(USUAL_MEMBERS);
  const controllers = byController(actions);
  const interfaces = controllers.map(
    ([controller, own]) =>
      `/** Actions of the controller \`${controller}\`. */\nexport interface ${nameOf(controller)} {\n${own
        .map((action) => `${comment(action.summary)}readonly ${action.action}: ${definition(action, types)};`)
        .join('\n')}\n}\n`,
  );
  const names = controllers.map(([controller]) => `readonly ${controller}: ${nameOf(controller)};`);
  const body = [
    `/** Every action by controller and name: what it takes and returns. Plugins add theirs by declaration merging. */`,
    `export interface ActionMap {`,
    ...names,
    `${comment('Another name of `memoryStorage`.')}readonly ms: MemoryStorageActions;`,
    `${comment('Another name of the controllers `collection`, `index` and `server`: the first that has the action.')}readonly admin: AdminActions;`,
    '}\n',
    `type AdminActions = CollectionActions & Omit<IndexActions, keyof CollectionActions> & Omit<ServerActions, keyof CollectionActions | keyof IndexActions>;\n`,
    ...interfaces,
    ...types.declarations,
  ].join('\n');
  const imports = [
    importOf(body, ['FieldOrBody'], './ActionFields.js'),
    importOf(body, ['FreeContent', 'JsonObject', 'JsonValue'], './Json.js'),
  ];
  return pretty(`// ${made}\n${imports.join('')}\n${body}`, file);
}

/** packages/actions/src/Notification.ts: what subscribers receive. */
export async function notificationTypes(kinds, file) {
  const types = new SchemaTypes();
  const parts = kinds.map(({ name, summary, controller, action, state, scope, user, result }) => {
    const literal = (value) => (value === null ? 'null' : JSON.stringify(value));
    return `/** ${summary} */
export interface ${name} extends NotificationEnvelope {
  readonly controller: ${literal(controller)};
  readonly action: ${literal(action)};
  readonly state: ${literal(state)};
  readonly scope: ${literal(scope)};${user === undefined ? '' : `\n  readonly user: ${literal(user)};`}
  readonly result: ${types.ofResult(result)};
}
`;
  });
  const body = `/** What every notification has (PROTO-80). */
export interface NotificationEnvelope {
  readonly status: 200;
  readonly error: null;
  /** Of the request that caused it, or \`server notification\`. */
  readonly requestId: string;
  readonly index: string | null;
  readonly collection: string | null;
  /** Of the request that caused it. */
  readonly metadata: JsonObject;
  /** UTC milliseconds. */
  readonly timestamp: number;
  /** Absent where the notification belongs to no room (\`TokenExpired\`). */
  readonly roomId?: string;
  /** Position of the change; absent if it isn't recorded (RESUME-1). */
  readonly cursor?: string;
  /** Only after a resume (RESUME-10). */
  readonly replayed?: true;
}

/** A notification to a subscriber; \`controller\`, \`action\` and \`scope\` tell the kinds apart. */
export type Notification = ${kinds.map(({ name }) => name).join(' | ')};

${parts.join('\n')}
${types.declarations.filter((text) => !isShared(text)).join('\n')}`;
  const imports = [
    importOf(body, SHARED_TYPES, './ActionMap.js'),
    importOf(body, ['JsonObject', 'JsonValue'], './Json.js'),
  ];
  return pretty(`// ${made}\n${imports.join('')}\n${body}`, file);
}

/** packages/client/src/errors/ErrorId.ts: the ids of all errors. */
export async function errorIds(ids, file) {
  const union = [...ids].sort().map((id) => `'${id}'`);
  return pretty(
    `// ${made}\n/** Ids of the errors of the server and of the plugins that it ships: docs/reference/errors.md. */\nexport type ErrorId = ${union.join(' | ')};\n`,
    file,
  );
}

/** Text as Prettier would write it to a file. */
export async function pretty(text, file) {
  return format(text, { ...(await resolveConfig(file)), parser: 'typescript' });
}

function isShared(declaration) {
  return SHARED_TYPES.some((name) => declaration.includes(`export type ${name} =`));
}

function nameOf(controller) {
  return `${controller.charAt(0).toUpperCase()}${controller.slice(1)}Actions`;
}

function importOf(body, names, from) {
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  return used.length === 0 ? '' : `import type { ${used.join(', ')} } from '${from}';\n`;
}

function definition(action, types) {
  const { result = {}, mayFailInPart, mayRedirect, mediaType } = action;
  const members = [
    `readonly fields: ${fieldsOf(action, types)};`,
    `readonly result: ${mediaType !== undefined && action.result === undefined ? 'string' : types.ofResult(result)};`,
    ...(mayFailInPart === true ? ['readonly mayFailInPart: true;'] : []),
    ...(mayRedirect === true ? ['readonly mayRedirect: true;'] : []),
  ];
  return `{\n${members.join('\n')}\n}`;
}

function fieldsOf({ args, content, bodyRequired }, types) {
  const all = Object.entries(args);
  const member =
    (isOptional) =>
    ([name, { schema, expected }]) => {
      const isPlain = schema.type === 'string' || schema.type === 'boolean' || schema.enum !== undefined;
      return `${isPlain ? '' : comment(sentence(expected))}readonly ${name}${isOptional ? '?' : ''}: ${types.ofInput(schema)};`;
    };
  const inBody = all.filter(([, { inBody }]) => inBody);
  const eitherRequired = inBody.filter(([, { required }]) => required);
  const isRequired = ([, { required, inBody }]) => required && !inBody;
  const fields = all.map((argument) => member(!isRequired(argument))(argument));
  const bodyParts = [
    ...(content === undefined ? [] : [types.ofInput(content)]),
    ...(inBody.length === 0 ? [] : [`{ ${inBody.map(member(true)).join('\n')} }`]),
  ];
  if (bodyParts.length > 0) {
    const isNeeded = bodyRequired === true || (content?.required ?? []).length > 0;
    fields.push(
      `readonly body${isNeeded ? '' : '?'}: ${bodyParts.map((part) => (bodyParts.length > 1 ? wrapped(part) : part)).join(' & ')};`,
    );
  }
  const either = eitherRequired.map(
    ([name, { schema }]) => ` & FieldOrBody<{ readonly ${name}: ${types.ofInput(schema)} }>`,
  );
  return `${fields.length === 0 ? 'Record<never, never>' : `{\n${fields.join('\n')}\n}`}${either.join('')}`;
}

function wrapped(part) {
  return part.includes(' | ') ? `(${part})` : part;
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
