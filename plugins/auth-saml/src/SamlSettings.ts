import type { ProviderUsers } from '@millrace/kernel';

/** One identity provider as the configuration has it: `saml.providers.<strategy name>`. */
export interface SamlProviderOptions {
  /** Where the client is sent: the provider's single sign-on address for the redirect binding. */
  readonly entryPoint: string;
  /** The provider's entity id. */
  readonly idpIssuer: string;
  /** The certificate (or several) that the provider signs with: PEM, or its base64 text alone. */
  readonly idpCert: string | readonly string[];
  /** This server's entity id. Default: the address of its metadata, `<saml.publicURL>/_saml/<strategy name>/metadata`. */
  readonly issuer?: string;
  /** Where the provider sends its answer. Default: `<saml.publicURL>/api/1.0/_login/<strategy name>`. */
  readonly callbackURL?: string;
  /** For whom assertions must be. Default: `issuer`. */
  readonly audience?: string;
  /** Must the whole answer be signed, besides the assertion? Default true. */
  readonly wantResponseSigned?: boolean;
  /** Signs requests: PEM. Default: they are not signed. */
  readonly privateKey?: string;
  /** The certificate of `privateKey`, for the metadata. */
  readonly publicCert?: string;
  /** The format of NameID that is asked for. Default: persistent. */
  readonly identifierFormat?: string;
  /** The attribute that identifies the user for ever; default `nameID`, the subject itself. */
  readonly identifierAttribute?: string;
  /** Takes subjects of the format `emailAddress`: whoever gets an address gets its user. Default false. */
  readonly allowEmailSubject?: boolean;
  /** Users that are there already, by the identifier: `{ 'a1b2c3': 'ada' }`. They come first. */
  readonly users?: Readonly<Record<string, string>>;
  /** Is a user made for an identity that nobody has? Default false: such a login is refused. */
  readonly createUser?: boolean;
  /** Profiles of users that are made. Default `['default']`. */
  readonly defaultProfileIds?: readonly string[];
  /** Properties of users that are made, each from an attribute of the assertion: `{ name: 'displayName' }`. */
  readonly attributeMap?: Readonly<Record<string, string>>;
  /** Takes an `http:` entry point of hosts other than the loopback ones. */
  readonly allowHttp?: boolean;
}

/** One identity provider, checked and complete. */
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
