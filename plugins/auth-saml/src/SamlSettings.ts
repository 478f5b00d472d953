import type { ProviderUsers } from '@millrace/plugin-kit';

/** One identity provider in the configuration: `saml.providers.<strategy name>`. */
export interface SamlProviderOptions {
  /** The provider's single sign-on URL for the redirect binding, where the client is redirected. */
  readonly entryPoint: string;
  /** The provider's entity id. */
  readonly idpIssuer: string;
  /** The provider's signing certificate, or several: PEM, or only its base64. */
  readonly idpCert: string | readonly string[];
  /** This server's entity id. Default: the URL of its metadata, `<saml.publicURL>/_saml/<strategy name>/metadata`. */
  readonly issuer?: string;
  /** URL to which the provider sends its response. Default: `<saml.publicURL>/api/1.0/_login/<strategy name>`. */
  readonly callbackURL?: string;
  /** Required audience of assertions. Default: `issuer`. */
  readonly audience?: string;
  /** Whether the response must be signed in addition to the assertion. Default true. */
  readonly wantResponseSigned?: boolean;
  /** Key that signs requests: PEM. Default: they are not signed. */
  readonly privateKey?: string;
  /** The certificate of `privateKey`, for the metadata. */
  readonly publicCert?: string;
  /** The requested format of NameID. Default: persistent. */
  readonly identifierFormat?: string;
  /** The attribute that identifies the user permanently; default `nameID`, the subject itself. */
  readonly identifierAttribute?: string;
  /** Accepts subjects of the format `emailAddress`: the next holder of an address gets its user. Default false. */
  readonly allowEmailSubject?: boolean;
  /** Existing users by identifier: `{ 'a1b2c3': 'ada' }`. Takes precedence. */
  readonly users?: Readonly<Record<string, string>>;
  /** Whether a login with an unknown identity creates a user. Default false: such a login is refused. */
  readonly createUser?: boolean;
  /** Profiles of created users. Default `['default']`. */
  readonly defaultProfileIds?: readonly string[];
  /** Properties of created users, each from an attribute of the assertion: `{ name: 'displayName' }`. */
  readonly attributeMap?: Readonly<Record<string, string>>;
  /** Accepts an `http:` entry point of hosts other than loopback. */
  readonly allowHttp?: boolean;
}

/** One identity provider, validated and with defaults. */
export interface SamlSettings extends ProviderUsers {
  readonly strategy: string;
  readonly entryPoint: string;
  readonly idpIssuer: string;
  readonly idpCert: readonly string[];
  readonly issuer: string;
  readonly callbackURL: string;
  readonly audience: string;
  readonly wantResponseSigned: boolean;
  readonly privateKey: string | null;
  readonly publicCert: string | null;
  readonly identifierFormat: string;
  readonly identifierAttribute: string;
  readonly allowEmailSubject: boolean;
}
