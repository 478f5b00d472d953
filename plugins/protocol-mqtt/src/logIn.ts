import type { Connection, JsonObject, ProtocolHost, RequestFields } from '@millrace/kernel';

// Return codes of CONNACK (MQTT 3.1.1 section 3.2.2.3).
const SERVER_UNAVAILABLE = 3;
const NOT_AUTHORIZED = 5;

/** The user name that means that the password is a token. */
const TOKEN_USER_NAME = 'jwt';

/** User name and password of a CONNECT packet. */
export interface ConnectCredentials {
  readonly userName: string | undefined;
  readonly password: Buffer | undefined;
}

/** The result: a user with a token, an anonymous client, or a client to be refused. */
export type LoginOutcome =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'user';
      readonly userId: string;
      readonly token: string;
      readonly expiresAtMs: number;
    }
  | { readonly kind: 'refused'; readonly returnCode: number };

/**
 * Checks the credentials of a CONNECT packet through the API: user name and password by `auth.login` with the local
 * strategy, user name `jwt` and a token by `auth.getCurrentUser` (PROTO-63).
 */
export async function logIn(
  host: ProtocolHost,
  connection: Connection,
  { userName, password }: ConnectCredentials,
): Promise<LoginOutcome> {
  if (userName === undefined && password === undefined) return { kind: 'anonymous' };
  if (userName === undefined || password === undefined) return refused(NOT_AUTHORIZED);
  const ask = async (action: string, fields: RequestFields) => {
    const request = host.createRequest({ controller: 'auth', action, ...fields }, connection);
    const { message } = await host.dispatch(request);
    return { status: message.status, result: message.result as JsonObject | null };
  };
  const secret = password.toString();
  const answer =
    userName === TOKEN_USER_NAME
      ? await ask('getCurrentUser', { jwt: secret })
      : await ask('login', { body: { strategy: 'local', username: userName, password: secret } });
  const token = userName === TOKEN_USER_NAME ? secret : answer.result?.jwt;
  const userId = answer.result?._id;
  if (answer.status === 429 || answer.status >= 500) return refused(SERVER_UNAVAILABLE);
  if (answer.status !== 200 || typeof token !== 'string' || typeof userId !== 'string') {
    return refused(NOT_AUTHORIZED);
  }
  const checked = await ask('checkToken', { body: { token } });
  const expiresAt = checked.result?.expiresAt;
  // A token without a visible expiry ends with the connection.
  return {
    kind: 'user',
    userId,
    token,
    expiresAtMs: typeof expiresAt === 'number' ? expiresAt : Infinity,
  };
}

function refused(returnCode: number): LoginOutcome {
  return { kind: 'refused', returnCode };
}
