import { isJsonObject, type ActionDefinition, type JsonObject, type Route } from '@millrace/kernel';

/** An argument, or a member of the body, as shown in a description. */
export interface Place {
  readonly name: string;
  readonly schema: JsonObject;
  readonly description: string;
  readonly isRequired: boolean;
}

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);

/**
 * Assigns the arguments of an action to parts of an HTTP request on one of its routes (PROTO-23): the path, the query
 * string, the body, or for optional scalars either of the last two.
 */
export class ArgumentPlaces {
  readonly path: readonly Place[];
  readonly query: readonly Place[];
  readonly body: readonly Place[];

  constructor(action: ActionDefinition, route: Route) {
    const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const places = placesOf(action);
    this.path = inPath.map((name) => ({ ...(places.get(name) ?? bare(name)), isRequired: true }));
    const others = [...places.values()].filter(({ name }) => !inPath.includes(name));
    if (route.method === 'GET') {
      this.query = others;
      this.body = [];
      return;
    }
    this.body = others.filter(({ inBody }) => inBody === 'argument');
    this.query = others.filter(
      ({ inBody, schema, isRequired }) =>
        inBody === 'never' || (inBody === 'argument' && !isRequired && isScalar(schema)),
    );
  }
}

interface Known extends Place {
  /** `content`: in the body if the method has one. */
  readonly inBody: 'never' | 'argument' | 'content';
}

function placesOf({ args, content }: ActionDefinition): ReadonlyMap<string, Known> {
  const places = new Map<string, Known>();
  const members = isJsonObject(content?.['properties']) ? content['properties'] : {};
  const required = Array.isArray(content?.['required']) ? content['required'] : [];
  for (const [name, schema] of Object.entries(members)) {
    if (!isJsonObject(schema)) continue;
    const description = typeof schema['description'] === 'string' ? schema['description'] : '';
    const isRequired = required.includes(name);
    places.set(name, { name, schema, description, isRequired, inBody: 'content' });
  }
  for (const [name, { schema, expected, required: isRequired, inBody }] of Object.entries(args)) {
    const described = { name, schema, description: toSentence(expected), isRequired };
    places.set(name, { ...described, inBody: inBody ? 'argument' : 'never' });
  }
  return places;
}

function bare(name: string): Place {
  return { name, schema: { type: 'string' }, description: '', isRequired: true };
}

function isScalar({ type }: JsonObject): boolean {
  return Array.isArray(type) ? type.every((each) => SCALARS.has(each)) : SCALARS.has(type);
}

function toSentence(expected: string): string {
  return `${expected.charAt(0).toUpperCase()}${expected.slice(1)}.`;
}
