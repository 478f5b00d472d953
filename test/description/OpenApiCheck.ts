import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject } from '@millrace/kernel';
import type { Exchange } from './Exchange.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonObject;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: JsonObject };
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

interface Found {
  readonly pointer: string;
  readonly operation: Operation;
  readonly pathValues: Readonly<Record<string, string>>;
}

interface DescribedResponse {
  readonly content?: JsonObject;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
}

const RESULT_HEADERS = ['ETag', 'Millrace-Hint'];

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Holds what goes over the wire to an OpenAPI document, by a validator that knows nothing of the server. */
export class OpenApiCheck {
  /** Operations that an exchange was judged by. */
  readonly seen = new Set<string>();
  private readonly strict = new Ajv2020({ strict: false, allErrors: true });
  // Path and query string hold strings only.
  private readonly lenient = new Ajv2020({ strict: false, allErrors: true, coerceTypes: 'array' });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(private readonly document: JsonObject) {
    this.strict.addSchema(document, 'openapi');
    this.lenient.addSchema(document, 'openapi');
  }

  get operationIds(): readonly string[] {
    return Object.values(this.document['paths'] as unknown as Paths).flatMap((item) =>
      Object.entries(item).flatMap(([method, operation]) => (method === 'parameters' ? [] : [operation.operationId])),
    );
  }

  /** What of an exchange is not as described; null where its route is not described at all. */
  problemsOf(exchange: Exchange): readonly string[] | null {
    const found = this.find(exchange);
    if (found === null || leadsNowhere(exchange)) return null;
    this.seen.add(found.operation.operationId);
    const name = `${exchange.method} ${exchange.url} (${found.operation.operationId})`;
    const problems = [
      ...this.checkResponse(found, exchange),
      // What the server refused need not be as described.
      ...(exchange.status < 300 ? this.checkRequest(found, exchange) : []),
    ];
    return problems.map((problem) => `${name}: ${problem}`);
  }

  private checkRequest({ pointer, operation, pathValues }: Found, exchange: Exchange): string[] {
    const problems: string[] = [];
    const query = queryOf(exchange.url);
    for (const where of ['path', 'query']) {
      const own = (operation.parameters ?? []).filter((parameter) => parameter.in === where);
      const schema = {
        type: 'object',
        required: own.filter(({ required }) => required === true).map(({ name }) => name),
        properties: Object.fromEntries(own.map((each) => [each.name, absolute(each.schema)])),
      };
      const validate = this.cached(`${pointer} ${where}`, () => this.lenient.compile(schema));
      if (!validate(where === 'path' ? { ...pathValues } : query)) {
        problems.push(`${where}: ${this.lenient.errorsText(validate.errors)}`);
      }
    }
    if (exchange.requestBody === '' || exchange.requestBody === 'null') {
      if (operation.requestBody?.required === true) problems.push('body: none, where one is needed');
    } else if (operation.requestBody !== undefined && exchange.requestType !== FORM) {
      const at = `${pointer}/requestBody/content/application~1json/schema`;
      problems.push(...this.check(at, JSON.parse(exchange.requestBody), 'body'));
    }
    return problems;
  }

  private checkResponse({ pointer, operation }: Found, exchange: Exchange): string[] {
    const described = operation.responses[String(exchange.status)];
    if (described === undefined) return [`status ${exchange.status} is not described`];
    const at = described.$ref?.slice(1) ?? `${pointer}/responses/${exchange.status}`;
    const [type = ''] = exchange.responseType.split(';');
    const { content, headers } = this.resolve(at) as DescribedResponse;
    const wrongHeaders = this.checkHeaders(headers, exchange);
    if (wrongHeaders.length > 0) return wrongHeaders;
    if (content?.[type] === undefined) return [`a response of type ${type} is not described`];
    if (type !== 'application/json') return [];
    const schema = `${at}/content/application~1json/schema`;
    return this.check(schema, JSON.parse(exchange.responseBody), `response ${exchange.status}`);
  }

  /** Headers about the result: those that came are described and of their form, and those that must come did. */
  private checkHeaders(described: DescribedResponse['headers'] = {}, { responseHeaders }: Exchange): string[] {
    return RESULT_HEADERS.flatMap((name) => {
      const reference = described[name]?.$ref.slice(1);
      const value = responseHeaders[name.toLowerCase()];
      if (reference === undefined) return value === undefined ? [] : [`header ${name} is not described`];
      const { required } = this.resolve(reference) as { readonly required?: boolean };
      if (value === undefined) return required === true ? [`header ${name} is missing`] : [];
      return this.check(`${reference}/schema`, value, `header ${name}`);
    });
  } // prettier-ignore

  private check(pointer: string, value: unknown, what: string): string[] {
    const validate = this.cached(pointer, () => this.strict.compile({ $ref: `openapi#${encodeURI(pointer)}` }));
    if (validate(value)) return [];
    const shown = JSON.stringify(value).slice(0, 300);
    return [`${what}: ${this.strict.errorsText(validate.errors)} in ${shown}`];
  }

  private cached(key: string, make: () => ValidateFunction): ValidateFunction {
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.compiled.set(key, made);
    return made;
  }

  private resolve(pointer: string): unknown {
    return pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], this.document);
  }

  /** Literal segments before parameters, as the document says. */
  private find({ method, url }: Exchange): Found | null {
    const path = url.replace(/[?#].*$/s, '').replace(/^\/api\/1\.0(?=\/|$)/, '') || '/';
    const segments = path.split('/');
    const isMemoryStore = segments[1] === 'ms';
    let best: (Found & { readonly literals: string }) | null = null;
    for (const [template, item] of Object.entries(this.document['paths'] as unknown as Paths)) {
      const operation = item[method.toLowerCase()];
      const parts = template.split('/');
      if (operation === undefined || parts.length !== segments.length) continue;
      const values: Record<string, string> = {};
      const fits = parts.every((part, i) => {
        const segment = segments[i] ?? '';
        const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
        if (name === undefined) return isSame(part, segment, i);
        if (segment === '' || (segment.startsWith('_') && !isMemoryStore)) return false;
        values[name] = decoded(segment);
        return true;
      });
      if (!fits) continue;
      const literals = parts.map((part) => (part.startsWith('{') ? '1' : '0')).join('');
      if (best !== null && best.literals <= literals) continue;
      const escaped = template.replaceAll('~', '~0').replaceAll('/', '~1');
      const pointer = `/paths/${escaped}/${method.toLowerCase()}`;
      best = { pointer, operation, pathValues: values, literals };
    }
    return best;
  }
}

const FORM = 'application/x-www-form-urlencoded';
const BOTH_SPELLINGS = ['users', 'profiles', 'roles'];

function isSame(part: string, segment: string, position: number): boolean {
  const bare = (text: string) => text.replace(/^_/, '');
  if (position === 1 && BOTH_SPELLINGS.includes(bare(part))) return bare(part) === bare(segment);
  return part === segment || (part === '_mDelete' && segment === '_mdelete');
}

function queryOf(url: string): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {};
  for (const [name, value] of new URL(url, 'http://x').searchParams) {
    const known = values[name];
    values[name] = known === undefined ? value : [known, value].flat();
  }
  return values;
}

/** References of a schema that is compiled apart from its document. */
function absolute(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')) as JsonObject;
}

/** As it is where it can't be decoded: the server has refused it then. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A segment that only looks like a parameter: names of commands are never keys (MEM-4). */
function leadsNowhere({ status, responseBody }: Exchange): boolean {
  return status === 405 || (status === 404 && responseBody.includes('"api.route_not_found"'));
}
