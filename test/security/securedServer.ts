import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { localAuth } from '@millrace/auth-local';
import type { JsonObject, JsonValue, Logger, Plugin } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';

/** What came back: the envelope over HTTP, or the response message of an in-process call. */
export interface Reply {
  readonly status: number;
  /** Everything that was sent back, for searching it. */
  readonly text: string;
  readonly result: JsonObject;
  readonly error: { readonly id: string; readonly message: string };
}

/** A user with a profile and a role, logged in. */
export interface Account {
  readonly id: string;
  readonly password: string;
  readonly jwt: string;
  readonly profileId: string;
  readonly roleId: string;
  readonly suid: string;
}

/** How a call is made; `jwt` null sends no token, and without `jwt` the administrator's is sent. */
export interface CallOptions {
  readonly jwt?: string | null;
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A real server with security, its first administrator, and what tests do with it. */
export interface SecuredServer {
  readonly started: StartedKernel;
  readonly adminJwt: string;
  readonly adminId: string;
  /** One HTTP request; the path goes out exactly as written, dots and all. */
  http(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** The same that must succeed: its result. */
  result(method: string, path: string, options?: CallOptions): Promise<JsonObject>;
  /** A message as the other protocols send it. */
  message(fields: JsonObject): Promise<Reply>;
  login(username: string, password: string, more?: JsonObject): Promise<Reply>;
  token(username: string, password: string, more?: JsonObject): Promise<string>;
  account(role: JsonObject, properties?: JsonObject): Promise<Account>;
  /** What checkToken says. */
  tokenState(token: string): Promise<JsonObject>;
  close(): Promise<void>;
}

/** A name that no other test has. */
export function fresh(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`;
}

/** Nothing to do with rights: a role for `controller: [actions]` everywhere. */
export function flatRole(actions: Readonly<Record<string, readonly string[]>>): JsonObject {
  const controllers = Object.entries(actions).map(([controller, names]) => [
    controller,
    { actions: Object.fromEntries(names.map((name) => [name, true])) },
  ]);
  return { controllers: Object.fromEntries(controllers) as JsonObject };
}

/** A role for `controller: [actions]` on one index (and collection), and on nothing else. */
export function roleOn(
  index: string,
  actions: Readonly<Record<string, readonly string[]>>,
  collection = '*',
): JsonObject {
  return { indexes: { [index]: { collections: { [collection]: flatRole(actions) } } } };
}

/** Starts a server and makes its first administrator. */
export async function startSecured(
  config: JsonObject = {},
  start: {
    readonly server?: JsonObject;
    readonly logger?: Logger;
    readonly plugins?: readonly Plugin[];
  } = {},
): Promise<SecuredServer> {
  const started = await startKernel({
    ...start,
    config,
    plugins: [localAuth(), ...(start.plugins ?? [])],
  });
  try {
    return await openSecured(started);
  } catch (error) {
    await started.close();
    throw error;
  }
}

async function openSecured(started: StartedKernel): Promise<SecuredServer> {
  const adminId = fresh('admin');
  const password = fresh('Admin-pass');
  const call = (method: string, path: string, options: CallOptions) => callHttp(started.url, method, path, options);
  const made = await call('POST', '/_createFirstAdmin', { body: { _id: adminId, password } });
  if (made.status !== 200) throw new Error(`createFirstAdmin: ${made.text}`);

  const login: SecuredServer['login'] = (username, secret, more = {}) =>
    call('POST', '/_login', { jwt: null, body: { username, password: secret, ...more } });
  const token: SecuredServer['token'] = async (username, secret, more = {}) =>
    succeeded(await login(username, secret, more), 'login').jwt as string;
  const adminJwt = await token(adminId, password);

  const http: SecuredServer['http'] = (method, path, options = {}) => call(method, path, { jwt: adminJwt, ...options });
  const result: SecuredServer['result'] = async (method, path, options) =>
    succeeded(await http(method, path, options), `${method} ${path}`);

  return {
    started,
    adminJwt,
    adminId,
    http,
    result,
    message: async (fields) => {
      const message = await started.kernel.execute(fields);
      return toReply(message.status, JSON.stringify(message));
    },
    login,
    token,
    account: async (role, properties = {}) => {
      const [id, roleId, profileId] = [fresh('user'), fresh('role'), fresh('profile')];
      const secret = fresh('Secret-pass');
      await result('POST', `/roles/${roleId}/_create`, { body: role });
      await result('POST', `/profiles/${profileId}/_create`, { body: { policies: [{ roleId }] } });
      const body = { profileIds: [profileId], password: secret, ...properties };
      const { _source } = await result('POST', `/users/${id}/_create`, { body });
      const suid = (_source as JsonObject).suid as string;
      return { id, password: secret, jwt: await token(id, secret), profileId, roleId, suid };
    },
    tokenState: async (presented) =>
      succeeded(await call('POST', '/_checkToken', { jwt: null, body: { token: presented } }), 'checkToken'),
    close: () => started.close(),
  };
}

function succeeded(reply: Reply, what: string): JsonObject {
  if (reply.status !== 200) throw new Error(`${what}: expected 200, got ${reply.text}`);
  return reply.result;
}

/** By `node:http`: fetch would tidy up the path. */
export function callHttp(
  url: string,
  method: string,
  path: string,
  { jwt = null, body, headers = {} }: CallOptions,
): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const sent: Record<string, string> = {
    ...(jwt === null ? {} : { authorization: `Bearer ${jwt}` }),
    ...(payload === undefined
      ? {}
      : {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(payload)),
        }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers: sent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(toReply(response.statusCode ?? 0, Buffer.concat(chunks).toString('utf8'))));
    });
    request.on('error', reject);
    request.end(payload);
  });
}

function toReply(status: number, text: string): Reply {
  const isJson = text.startsWith('{');
  const envelope = (isJson ? JSON.parse(text) : {}) as Partial<Reply>;
  return {
    status,
    text,
    result: envelope.result ?? {},
    error: envelope.error ?? { id: '', message: '' },
  };
}
