import { run, type Fields } from '../connection.js';

/** One action, as the server describes it. */
export interface ActionEntry {
  /** `document.search`. */
  readonly name: string;
  readonly summary: string;
  /** Absent if HTTP has no route for it: it is a message alone. */
  readonly method?: string;
  readonly path?: string;
  readonly inputs: readonly Input[];
  /** The body has more than the inputs, such as a whole document. */
  readonly takesContent: boolean;
}

/** One argument, or one member of the body. */
export interface Input {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly isRequired: boolean;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  readonly choices: readonly string[];
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly description?: string;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Information {
  readonly serverInfo: Readonly<
    Record<string, { readonly api?: { readonly routes: Readonly<Record<string, Fields>> } }>
  >;
}

/** The names of the actions of each controller. */
export type ActionNames = ReadonlyMap<string, readonly string[]>;

/** The names of all actions of the server, those of plugins included. */
export async function readActionNames(): Promise<ActionNames> {
  const { serverInfo } = await run<Information>('server.info');
  const controllers = Object.values(serverInfo).flatMap(({ api }) => Object.entries(api?.routes ?? {}));
  return new Map(controllers.map(([controller, actions]) => [controller, Object.keys(actions)]));
}

/** All actions of the server, by name, those of plugins included. */
export async function readActions(): Promise<readonly ActionEntry[]> {
  const [description, names] = await Promise.all([run<Description>('server.openapi'), readActionNames()]);
  const found = new Map<string, ActionEntry>();
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = /^Action `([^`]+)`/.exec(operation.description ?? '')?.[1];
      const known = name === undefined ? undefined : found.get(name);
      // The first route of an action is the one without a number.
      if (name === undefined || (known !== undefined && /\d$/.test(operation.operationId))) continue;
      found.set(name, toEntry(name, method.toUpperCase(), path, operation, description));
    }
  }
  for (const [controller, actions] of names) {
    for (const action of actions) {
      const name = `${controller}.${action}`;
      const isAlias = controller === 'ms';
      if (!isAlias && !found.has(name))
        found.set(name, { name, summary: 'A message: HTTP has no route for it.', inputs: [], takesContent: true });
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function toEntry(name: string, method: string, path: string, operation: Operation, whole: Description): ActionEntry {
  const { summary = '', parameters = [], requestBody } = operation;
  const inputs = parameters
    .filter((parameter) => parameter.$ref === undefined && (parameter.in === 'path' || parameter.in === 'query'))
    .map((parameter) =>
      toInput(
        parameter.name,
        parameter.in as 'path' | 'query',
        parameter.required === true,
        { description: parameter.description ?? '', ...parameter.schema },
        whole,
      ),
    );
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema;
  const body = schema === undefined ? undefined : flatten(schema, whole);
  const members = Object.entries(body?.properties ?? {}).map(([member, inner]) =>
    toInput(member, 'body', body?.required?.includes(member) === true, inner, whole),
  );
  const takesContent = body !== undefined && (members.length === 0 || body.additionalProperties !== false);
  // Some arguments may be in the query string and in the body.
  const others = members.filter((member) => !inputs.some((input) => input.name === member.name));
  return { name, summary, method, path, inputs: [...inputs, ...others], takesContent };
}

function toInput(name: string, place: Input['place'], isRequired: boolean, schema: Schema, whole: Description): Input {
  const { type, enum: values = [], description = '' } = flatten(schema, whole);
  const [first] = typeof type === 'string' ? [type] : (type ?? []);
  const choices = values.map(String);
  const kind =
    choices.length > 0
      ? 'choice'
      : first === 'integer' || first === 'number'
        ? 'number'
        : first === 'boolean'
          ? 'boolean'
          : first === 'string' || place === 'path'
            ? 'text'
            : 'json';
  return { name, place, isRequired, description: schema.description ?? description, kind, choices };
}

/** A schema without references and `allOf` at its top. */
function flatten(schema: Schema, whole: Description, depth = 0): Schema {
  if (depth > 8) return schema;
  if (schema.$ref !== undefined) {
    const found = whole.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''];
    return found === undefined ? {} : flatten(found, whole, depth + 1);
  }
  if (schema.allOf === undefined) return schema;
  return schema.allOf
    .map((each) => flatten(each, whole, depth + 1))
    .reduce<Schema>(
      (merged, each) => ({
        ...merged,
        ...each,
        properties: { ...merged.properties, ...each.properties },
        required: [...(merged.required ?? []), ...(each.required ?? [])],
      }),
      {},
    );
}
