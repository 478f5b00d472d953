import {
  ActionTable,
  ByteBudget,
  createRequest,
  errorResponse,
  silentLogger,
  type Connection,
  type Cursor,
  type Logger,
  type MillraceError,
  type ProtocolHost,
  type Request,
  type Response,
  type ResponseMessage,
} from '@millrace/kernel';

/** A host whose every action answers its body; `runs` replaces the answer of an action. */
export class FakeHost implements ProtocolHost {
  log: Logger = silentLogger;
  readonly actions = new ActionTable();
  readonly serviceName = 'millrace';
  readonly dispatched: Request[] = [];
  readonly open = new Set<Connection>();
  readonly slow: Connection[] = [];
  readonly runs = new Map<string, (request: Request) => unknown>();

  bytes = new ByteBudget(1_073_741_824);
  /** What heartbeats carry. */
  cursor: Cursor | undefined;

  createRequest: ProtocolHost['createRequest'] = (fields, connection, fault, bytes) =>
    createRequest(fields, connection, fault, bytes);

  sentCursor(): Cursor | undefined {
    return this.cursor;
  }

  decide(): Promise<MillraceError | undefined> {
    return Promise.resolve(undefined);
  }

  async dispatch(request: Request): Promise<Response> {
    this.dispatched.push(request);
    if (request.fault !== null) return errorResponse(request, request.fault, false);
    const { requestId, controller, action, index, collection, metadata } = request;
    const run = this.runs.get(action);
    let result: never;
    try {
      result = (run === undefined ? request.body : await run(request)) as never;
    } catch (error) {
      return errorResponse(request, error, false);
    }
    const fields = { controller, action, index, collection, metadata };
    const message = { requestId, status: 200, error: null, ...fields, state: 'done', result };
    return { message: message as ResponseMessage };
  }

  connectionOpened(connection: Connection): void {
    this.open.add(connection);
  }

  connectionClosed(connection: Connection, cause?: 'slow'): void {
    if (!this.open.delete(connection)) throw new Error(`${connection.id} was not open`);
    if (cause === 'slow') this.slow.push(connection);
  }
}
