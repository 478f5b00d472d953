import type { ProviderUsers } from '@millrace/kernel';

/** One provider as the configuration has it: `oauth2.providers.<strategy name>`. */
export interface ProviderOptions {
  /** Where the client is sent. Needless with `openid`. */
  readonly authorizationURL?: string;
  /** Where a code is exchanged. Needless with `openid`. */
  readonly tokenURL?: string;
  readonly clientID: string;
  /** Absent for a public client, which PKCE alone protects. */
  readonly clientSecret?: string;
  /** How the client proves itself: by HTTP Basic (the default), or by fields of the form. */
  readonly clientAuthentication?: 'basic' | 'post';
  /** Where the provider sends the client back. Default: `<oauth2.publicURL>/api/1.0/_login/<strategy name>`. */
  readonly callbackURL?: string;
  /** A list, or a text with spaces. With `openid` it always holds `openid`. */
  readonly scope?: string | readonly string[];
  /** Where the user's attributes are read with the access token. Needless with `openid`. */
  readonly profileURL?: string;
  /** The issuer of an OpenID Connect provider; everything else about it is discovered. */
  readonly openid?: string;
  /** The attribute that identifies the user for ever; a path such as `user.id`. Default `sub` with `openid`, else `id`. */
  readonly identifierAttribute?: string;
  /** Users that are there already, by the provider's identifier: `{ '248289761001': 'ada' }`. They come first. */
  readonly users?: Readonly<Record<string, string>>;
  /** Is a user made for an identity that nobody has? Default false: such a login is refused. */
  readonly createUser?: boolean;
  /** Profiles of users that are made. Default `['default']`. */
  readonly defaultProfileIds?: readonly string[];
  /** Properties of users that are made, each from an attribute of the provider: `{ name: 'profile.display_name' }`. */
  readonly attributeMap?: Readonly<Record<string, string>>;
  /** Further parameters of the authorization address, such as `{ prompt: 'select_account' }`. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  /** Takes `http:` addresses of hosts other than the loopback ones: secrets and tokens go in the clear then. */
  readonly allowHttp?: boolean;
}

/** One provider, checked and complete. */
export interface ProviderSettings extends ProviderUsers {
  readonly strategy: string;
  /** Null: discovered. */
  readonly authorizationURL: string | null;
  readonly tokenURL: string | null;
  readonly clientID: string;
  readonly clientSecret: string | null;
  /** Null: HTTP Basic, or what discovery says. */
  readonly clientAuthentication: 'basic' | 'post' | null;
  readonly callbackURL: string;
  readonly scope: readonly string[];
  readonly profileURL: string | null;
  readonly issuer: string | null;
  readonly identifierAttribute: string;
  readonly authorizationParameters: Readonly<Record<string, string>>;
  readonly allowHttp: boolean;
}
