import type { JsonObject } from '@millrace/kernel';
import { ErrorList } from '../ErrorList.js';
import { failure } from '../responseSchemas.js';
import type { SchemaCatalog } from '../SchemaCatalog.js';

/** Responses only to requests with a body. */
const ABOUT_BODIES = [413, 415];

/** Error responses, each written once per controller and status and then referred to. */
export class ErrorResponses {
  private readonly lists = new Map<string, ErrorList>();
  private readonly made = new Map<string, JsonObject>();

  constructor(private readonly catalog: SchemaCatalog) {}

  /** References by status. */
  of(controller: string, hasBody: boolean): JsonObject {
    const list = this.listOf(controller);
    const statuses = list.statuses.filter((status) => hasBody || !ABOUT_BODIES.includes(status));
    return Object.fromEntries(
      statuses.map((status) => {
        const name = `${list.group}Error${status}`;
        if (!this.made.has(name)) this.made.set(name, this.describe(list, status));
        return [String(status), { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  /** For `components.responses`. */
  get responses(): JsonObject {
    return Object.fromEntries(this.made);
  }

  private listOf(controller: string): ErrorList {
    const known = this.lists.get(controller);
    if (known !== undefined) return known;
    const made = new ErrorList(controller);
    this.lists.set(controller, made);
    return made;
  }

  private describe(list: ErrorList, status: number): JsonObject {
    const ids = list.idsAt(status).map((id) => `\`${id}\``);
    const schema = this.catalog.place(failure(status, list.schemaAt(status)));
    const waits = { 'Retry-After': { description: 'Seconds.', schema: { type: 'string' } } };
    return {
      description: ids.join(', '),
      ...(status === 429 || status === 503 ? { headers: waits } : undefined),
      content: { 'application/json': { schema } },
    };
  }
}
