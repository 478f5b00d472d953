import { createServer } from 'node:http';
import {
  IdentityProvider,
  ServiceProvider,
  setSchemaValidator,
  type IdentityProviderInstance,
  type ServiceProviderInstance,
} from 'samlify';
import { PROVIDER_CERTIFICATE, PROVIDER_KEY, STRANGER_CERTIFICATE, STRANGER_KEY } from './identityProviderKeys.js';

/** What an answer says; absent values are as they should be. */
export interface AnswerParts {
  readonly nameId?: string;
  readonly nameIdFormat?: string;
  readonly audience?: string;
  readonly recipient?: string;
  readonly issuer?: string;
  readonly inResponseTo?: string;
  /** Of the answer alone, where it is another one than the confirmation's. */
  readonly responseInResponseTo?: string;
  readonly method?: string;
  /** Seconds from now. */
  readonly begins?: number;
  readonly ends?: number;
  readonly confirmationEnds?: number;
  readonly sessionEnds?: number;
  /** Further XML. */
  readonly attributes?: string;
  readonly subject?: string;
  readonly conditions?: string | null;
  readonly statements?: string;
}

/** How an answer is signed. */
export interface Signing {
  readonly isAssertionSigned?: boolean;
  readonly isResponseSigned?: boolean;
  readonly byStranger?: boolean;
}

/** A request as the provider reads it. */
export interface ParsedRequest {
  readonly id: string;
  readonly issuer: string;
  readonly callback: string;
}

/** An identity provider of npm (samlify), run for real. */
export interface TestIdentityProvider {
  readonly entityId: string;
  readonly entryPoint: string;
  /** Reads the metadata of a service provider: it is answered from now on. */
  learn(metadata: string): void;
  /** Takes the address apart where a client was sent. */
  parse(location: string): Promise<ParsedRequest>;
  /** Makes an answer: XML. */
  answer(request: ParsedRequest, parts?: AnswerParts, signing?: Signing): Promise<string>;
  close(): Promise<void>;
}

/** Format of subjects that are one user's for ever. */
export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

/** Starts a provider: its page asks for a name, and sends the client back with a form. */
export async function openIdentityProvider(port: number): Promise<TestIdentityProvider> {
  setSchemaValidator({ validate: async () => 'not validated: the answers are made here' });
  const entityId = 'https://idp.example/metadata';
  const entryPoint = `http://127.0.0.1:${port}/sso?tenant=a`;
  const [provider, stranger] = [
    toEntity(entityId, entryPoint, PROVIDER_KEY, PROVIDER_CERTIFICATE),
    toEntity(entityId, entryPoint, STRANGER_KEY, STRANGER_CERTIFICATE),
  ];
  const services = new Map<
    string,
    {
      readonly both: ServiceProviderInstance;
      readonly assertion: ServiceProviderInstance;
      readonly response: ServiceProviderInstance;
    }
  >();

  const parse = async (location: string): Promise<ParsedRequest> => {
    const query = Object.fromEntries(new URL(location).searchParams);
    const [any] = services.values();
    if (any === undefined) throw new Error('no service provider is known');
    const { extract } = await provider.parseLoginRequest(any.both, 'redirect', { query });
    const { request, issuer } = extract as {
      readonly request: { readonly id: string; readonly assertionConsumerServiceUrl: string };
      readonly issuer: string;
    };
    return { id: request.id, issuer, callback: request.assertionConsumerServiceUrl };
  };
  const answer = async (request: ParsedRequest, parts: AnswerParts = {}, signing: Signing = {}) => {
    const service = services.get(request.issuer);
    if (service === undefined) throw new Error(`unknown service provider ${request.issuer}`);
    const { isAssertionSigned = true, isResponseSigned = true, byStranger = false } = signing;
    const xml = toXml(entityId, request, parts);
    if (!isAssertionSigned && !isResponseSigned) return xml;
    const how = isAssertionSigned && isResponseSigned ? 'both' : isAssertionSigned ? 'assertion' : 'response';
    const made = await (byStranger ? stranger : provider).createLoginResponse(
      service[how],
      { extract: { request: { id: request.id } } },
      'post',
      {},
      () => ({ id: 'r', context: xml }),
    );
    return Buffer.from(made.context, 'base64').toString();
  };

  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '', entryPoint);
    const page = async () => {
      const who = url.searchParams.get('who');
      response.setHeader('content-type', 'text/html');
      if (who === null) {
        const hidden = [...url.searchParams].map(
          ([name, value]) => `<input type="hidden" name="${name}" value="${value}"/>`,
        );
        return `<form action="/login" method="post">${hidden.join('')}<input type="text" name="who"/></form>`;
      }
      const request = await parse(url.href);
      const xml = await answer(request, { nameId: who });
      return `<form action="${request.callback}" method="post"><input type="hidden" name="SAMLResponse" value="${Buffer.from(xml).toString('base64')}"/><input type="hidden" name="RelayState" value="/evil"/></form>`;
    };
    let text = '';
    incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
    incoming.on('end', () => {
      for (const [name, value] of new URLSearchParams(text)) url.searchParams.set(name, value);
      page().then(
        (html) => response.end(html),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    entityId,
    entryPoint,
    parse,
    answer,
    learn: (metadata) => {
      const make = (wantAssertionsSigned: boolean, wantMessageSigned: boolean) =>
        ServiceProvider({
          metadata: metadata.replace(/WantAssertionsSigned="\w+"/, `WantAssertionsSigned="${wantAssertionsSigned}"`),
          wantMessageSigned,
        });
      const service = { both: make(true, true), assertion: make(true, false), response: make(false, true) };
      services.set(service.both.entityMeta.getEntityID(), service);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toEntity(
  entityID: string,
  location: string,
  privateKey: string,
  certificate: string,
): IdentityProviderInstance {
  const signingCert = certificate.replace(/-----[^-]+-----|\s/g, '');
  const Binding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
  return IdentityProvider({
    entityID,
    privateKey,
    signingCert,
    singleSignOnService: [{ Binding, Location: location.replaceAll('&', '&amp;') }],
    requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  });
}

let count = 0;
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

function toXml(entityId: string, request: ParsedRequest, parts: AnswerParts): string {
  const { nameId = 'ada', nameIdFormat = PERSISTENT, issuer = entityId, attributes = '' } = parts;
  const { recipient = request.callback, audience = request.issuer } = parts;
  const { inResponseTo = request.id, begins = -10, ends = 300, sessionEnds = 3_600 } = parts;
  const { responseInResponseTo = inResponseTo, confirmationEnds = ends } = parts;
  const { method = 'urn:oasis:names:tc:SAML:2.0:cm:bearer' } = parts;
  const number = ++count;
  const [now, notBefore, notOnOrAfter] = [inSeconds(0), inSeconds(begins), inSeconds(ends)];
  const confirmation = `<saml:SubjectConfirmation Method="${method}"><saml:SubjectConfirmationData NotOnOrAfter="${inSeconds(confirmationEnds)}" Recipient="${recipient}" InResponseTo="${inResponseTo}"/></saml:SubjectConfirmation>`;
  const subject = parts.subject ?? `<saml:NameID Format="${nameIdFormat}">${nameId}</saml:NameID>${confirmation}`;
  const restriction = parts.conditions ?? `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`;
  const conditions = parts.conditions === null ? '' : `<saml:Conditions NotBefore="${notBefore}" NotOnOrAfter="${notOnOrAfter}">${restriction}</saml:Conditions>`;
  const statements = parts.statements ?? `<saml:AuthnStatement AuthnInstant="${now}" SessionNotOnOrAfter="${inSeconds(sessionEnds)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
  const assertion = `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_assertion${number}" Version="2.0" IssueInstant="${now}"><saml:Issuer>${issuer}</saml:Issuer><saml:Subject>${subject}</saml:Subject>${conditions}${statements}${attributes}</saml:Assertion>`;
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_response${number}" Version="2.0" IssueInstant="${now}" Destination="${recipient}" InResponseTo="${responseInResponseTo}"><saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${assertion}</samlp:Response>`;
} // prettier-ignore
