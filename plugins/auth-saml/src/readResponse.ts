/*
 * Validates SAMLResponse before any XML parser sees it. A response of an identity provider is plain: tags, attributes
 * and text. Document types (entities, bombs), comments (which some parsers treat as the end of a text node), CDATA
 * and processing instructions have no legitimate use in it and are all refused by one rule: `<` must begin a tag. One
 * pass over the string. Depth, tags and attributes are bounded, because the signed part is canonicalised before its
 * signature is known to be valid (some 0.1 ms per tag).
 */
import { samlErrors } from './errors.js';

const MAX_DEPTH = 64;
// A long response has some dozen tags, plus one per attribute value such as the groups of a user.
const MAX_TAGS = 1_000;
const MAX_ATTRIBUTES = 3_000;
const MAX_ATTRIBUTES_OF_TAG = 50;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const XML_DECLARATION = /^<\?xml\s[^<>?]{0,100}\?>/;
// The look-ahead prevents backtracking over ever shorter parts of a name.
const TAG = /<(\/?)([A-Za-z_][\w.:-]*)(?=[\s/>])((?:[^<>"']|"[^<"]*"|'[^<']*')*?)(\/?)>/y;
const ATTRIBUTE = /(?:^|\s)[A-Za-z_][\w.:-]*\s*=/g;
/** Each may occur once, at its defined position. */
const GUARDED = /(?:^|:)(?:Response|Assertion|EncryptedAssertion)$/;
const ROOT = /^(?:[\w.-]+:)?Response$/;

/** A plain response. */
export interface PlainResponse {
  /** Base64, ready for the parser. */
  readonly text: string;
  /**
   * True if there is one response with one assertion, directly below it. Another one anywhere has no legitimate use:
   * signature wrapping attacks hide it there.
   */
  readonly hasOneAssertion: boolean;
}

/** @throws auth.assertion_malformed (400) */
export function readResponse(value: unknown, maxBytes: number): PlainResponse {
  if (typeof value !== 'string') throw malformed('expected a string');
  // Line breaks are allowed (RFC 2045), and some providers send them.
  const text = value.length > maxBytes * 2 ? null : value.replace(/[\r\n\t ]+/g, '');
  if (text === null || text.length > Math.ceil(maxBytes / 3) * 4) {
    throw malformed(`expected at most ${maxBytes} bytes`);
  }
  if (!BASE64.test(text) || text.length % 4 !== 0) throw malformed('expected base64');
  const hasOneAssertion = scan(decode(Buffer.from(text, 'base64')));
  return { text, hasOneAssertion };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('expected XML in UTF-8');
  }
}

/** @returns hasOneAssertion */
function scan(xml: string): boolean {
  let at = XML_DECLARATION.exec(xml)?.[0].length ?? 0;
  const open: string[] = [];
  const counts = { tags: 0, attributes: 0 };
  const places: string[] = [];
  let hasRoot = false;
  for (;;) {
    const next = xml.indexOf('<', at);
    const text = next < 0 ? xml.slice(at) : open.length === 0 ? xml.slice(at, next) : '';
    if (open.length === 0 && text.trim() !== '') throw malformed('text outside of the document');
    if (next < 0) break;
    TAG.lastIndex = next;
    const tag = TAG.exec(xml);
    if (tag === null) throw malformed('expected plain XML: no document type, comment, CDATA or instruction');
    const [whole, closing, name = '', attributes = '', empty] = tag;
    at = next + whole.length;
    if (closing !== '') {
      if (open.pop() !== name || attributes.trim() !== '') throw malformed('tags that don’t match');
      continue;
    }
    if (open.length === 0 && (hasRoot || !ROOT.test(name))) throw malformed('expected one Response');
    hasRoot = true;
    count(attributes, counts);
    if (GUARDED.test(name)) places.push(`${localName(name)} at ${open.length}`);
    if (empty === '') open.push(name);
    if (open.length > MAX_DEPTH) throw malformed(`expected at most ${MAX_DEPTH} levels`);
  }
  if (!hasRoot || open.length > 0) throw malformed('expected one whole Response');
  return places.join() === 'Response at 0,Assertion at 1';
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

function count(attributes: string, counts: { tags: number; attributes: number }): void {
  const values = /"[^"]*"|'[^']*'/g;
  const { length } = [...attributes.replace(values, '""').matchAll(ATTRIBUTE)];
  counts.tags++;
  counts.attributes += length;
  const isTooMuch = counts.tags > MAX_TAGS || counts.attributes > MAX_ATTRIBUTES || length > MAX_ATTRIBUTES_OF_TAG;
  if (isTooMuch) throw malformed('too many tags or attributes');
}

function malformed(problem: string) {
  return samlErrors.assertion_malformed({ problem });
}
