import type { ProviderUsers } from '@millrace/plugin-kit';

/** One provider in the configuration: `oauth2.providers.<strategy name>`. */
export interface ProviderOptions {
  /** Authorization endpoint, where the client is redirected. Not needed with `openid`. */
  readonly authorizationURL?: string;
  /** Token endpoint, where a code is exchanged. Not needed with `openid`. */
  readonly tokenURL?: string;
  readonly clientID: string;
  /** Absent for a public client, which is protected by PKCE only. */
  readonly clientSecret?: string;
  /** How the client authenticates: HTTP Basic (default), or form fields. */
  readonly clientAuthentication?: 'basic' | 'post';
  /** URL to which the provider redirects the client. Default: `<oauth2.publicURL>/api/1.0/_login/<strategy name>`. */
  readonly callbackURL?: string;
  /** A list, or a string separated by spaces. With `openid` it always contains `openid`. */
  readonly scope?: string | readonly string[];
  /** Endpoint that returns the user's attributes for the access token. Not needed with `openid`. */
  readonly profileURL?: string;
  /** Issuer of an OpenID Connect provider; everything else is discovered. */
  readonly openid?: string;
  /**
   * The attribute that identifies the user permanently; a path such as `user.id`. Default `sub` with `openid`,
   * otherwise `id`.
   */
  readonly identifierAttribute?: string;
  /** Existing users by the provider's identifier: `{ '248289761001': 'ada' }`. Takes precedence. */
  readonly users?: Readonly<Record<string, string>>;
  /** Whether a login with an unknown identity creates a user. Default false: such a login is refused. */
  readonly createUser?: boolean;
  /** Profiles of created users. Default `['default']`. */
  readonly defaultProfileIds?: readonly string[];
  /** Properties of created users, each from an attribute of the provider: `{ name: 'profile.display_name' }`. */
  readonly attributeMap?: Readonly<Record<string, string>>;
  /** Further parameters of the authorization URL, such as `{ prompt: 'select_account' }`. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  /** Accepts `http:` URLs of hosts other than loopback: secrets and tokens are then sent in the clear. */
  readonly allowHttp?: boolean;
}

/** One provider, validated and with defaults. */
export interface ProviderSettings extends ProviderUsers {
  readonly strategy: string;
  /** Null: discovered. */
  readonly authorizationURL: string | null;
  readonly tokenURL: string | null;
  readonly clientID: string;
  readonly clientSecret: string | null;
  /** Null: HTTP Basic, or the discovered method. */
  readonly clientAuthentication: 'basic' | 'post' | null;
  readonly callbackURL: string;
  readonly scope: readonly string[];
  readonly profileURL: string | null;
  readonly issuer: string | null;
  readonly identifierAttribute: string;
  readonly authorizationParameters: Readonly<Record<string, string>>;
  readonly allowHttp: boolean;
}
