import type { ActionRequest, JsonObject } from '@millrace/kernel';

/** Where an argument is read first: at the top of the message, or in its body (MEM-5). */
export type Home = 'top' | 'body';

/** The message of an action that declares `readsFields`. */
export type FieldsSent = Pick<ActionRequest, 'request' | 'fields'>;

/** Limits applied while arguments are read. */
export interface ArgumentLimits {
  /** Longest wait of a blocking action; 0 (for ever) and longer waits are reduced to it. */
  readonly maxBlockMs: number;
  /** Longest string value in bytes: offsets beyond it are refused before anything is allocated. */
  readonly maxValueBytes: number;
}

/** Fields of every request: never arguments of a command (MEM-7). */
const REQUEST_FIELDS: ReadonlySet<string> = new Set(
  'requestId controller action index collection body metadata jwt headers from size refresh scope state users'.split(
    ' ',
  ),
);

/** The arguments of one request, read from their home first and then from the other place. */
export class ArgumentSource {
  private readonly fields: FieldsSent['fields'];
  private readonly body: JsonObject | null;
  private readonly isHttp: boolean;

  constructor(
    { request, fields }: FieldsSent,
    /** Names in a path of the action: over HTTP they take precedence over the body. */
    private readonly pathNames: ReadonlySet<string>,
    readonly limits: ArgumentLimits,
  ) {
    this.fields = fields;
    this.body = request.body;
    this.isHttp = request.connection.protocol === 'http';
  }

  /** The value as sent; undefined if it is in neither place, or null. */
  read(name: string, home: Home): unknown {
    const isTopFirst = home === 'top' || (this.isHttp && this.pathNames.has(name));
    return isTopFirst ? (this.readTop(name) ?? this.readBody(name)) : (this.readBody(name) ?? this.readTop(name));
  }

  /** True if a value is the list produced by a repeated query parameter. */
  isRepeated(name: string, value: unknown): boolean {
    return this.isHttp && Array.isArray(value) && this.readTop(name) === value;
  }

  /** The value in the body alone. */
  readBody(name: string): unknown {
    const { body } = this;
    return body !== null && Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined;
  }

  /** The whole body; null if none was sent. */
  get wholeBody(): JsonObject | null {
    return this.body;
  }

  private readTop(name: string): unknown {
    const { fields } = this;
    if (REQUEST_FIELDS.has(name) || !Object.hasOwn(fields, name)) return undefined;
    return fields[name] ?? undefined;
  }
}
