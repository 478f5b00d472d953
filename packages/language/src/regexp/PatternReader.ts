/*
 * Parses the syntax of ECMAScript patterns, Annex B included, into a tree. The native parser has already accepted the
 * pattern, so this reader only has to find the extent of each element; it refuses constructs that aren't regular.
 */
import { PatternFault, type PatternNode } from './PatternNode.js';

const SYNTAX_CHARACTERS = '^$\\.*+?()[]{}|/';
/** A run of characters that can only be literal. */
const PLAIN = /[^^$\\.*+?()[\]{}|/]+/y;
const QUANTIFIERS = '*+?{';
const QUANTIFIER = /\{(\d+)(?:(,)(\d*))?\}/y;
const OCTAL = /(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/y;
const CONTROL = /c[A-Za-z]/y;
const HEX = /x[0-9A-Fa-f]{2}/y;
const UNICODE = /u[0-9A-Fa-f]{4}/y;
const UNICODE_PAIR = /u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}/y;
const UNICODE_BRACED = /u\{[0-9A-Fa-f]+\}/y;
const PROPERTY = /[pP]\{[^}]*\}/y;
/** By their first character (0 for any digit); valid in one mode only if stated. */
const LONG_ESCAPES: ReadonlyMap<string, readonly { readonly form: RegExp; readonly isUnicode?: boolean }[]> = new Map([
  ['0', [{ form: OCTAL, isUnicode: false }]],
  ['u', [{ form: UNICODE_PAIR, isUnicode: true }, { form: UNICODE }, { form: UNICODE_BRACED, isUnicode: true }]],
  ['p', [{ form: PROPERTY, isUnicode: true }]],
  ['P', [{ form: PROPERTY, isUnicode: true }]],
  ['x', [{ form: HEX }]],
]);
const NUMBER = /[1-9]\d*/y;
const GROUP_NAME = /<[^>=!][^>]*>/y;

const EMPTY: PatternNode = { kind: 'sequence', parts: [] };
// Nodes don't contain their position, so one node serves all.
const ANY: PatternNode = { kind: 'character', source: '.' };
const START: PatternNode = { kind: 'assertion', assertion: 'start' };
const END: PatternNode = { kind: 'assertion', assertion: 'end' };

/** By code: 1 for syntax characters. */
const IS_SYNTAX = new Uint8Array(128);
for (let i = 0; i < SYNTAX_CHARACTERS.length; i++) IS_SYNTAX[SYNTAX_CHARACTERS.charCodeAt(i)] = 1;

/** @throws PatternFault for look-around, back-references and modifiers */
export function readPattern(source: string, isUnicode: boolean): PatternNode {
  return new PatternReader(source, isUnicode).read();
}

const BAR = 0x7c;
const CLOSING = 0x29;
/** Under flag `u` every number and name refers to a group. */
const ALL = { count: Infinity, areNamed: true };

class PatternReader {
  private at = 0;
  /** Counted if an escape may refer to a group. */
  private groups: { readonly count: number; readonly areNamed: boolean } | undefined;

  constructor(
    private readonly source: string,
    private readonly isUnicode: boolean,
  ) {}

  read(): PatternNode {
    return this.readChoice();
  }

  private readChoice(): PatternNode {
    const parts = [this.readSequence()];
    while (this.skip('|')) parts.push(this.readSequence());
    return parts.length === 1 ? (parts[0] ?? EMPTY) : { kind: 'choice', parts };
  }

  private readSequence(): PatternNode {
    const parts: PatternNode[] = [];
    const { source } = this;
    while (this.at < source.length) {
      const next = source.charCodeAt(this.at);
      if (next === BAR || next === CLOSING) break;
      parts.push(this.readQuantified());
    }
    return { kind: 'sequence', parts };
  }

  private readQuantified(): PatternNode {
    const text = this.readText();
    if (text !== undefined) return text;
    const part = this.readTerm();
    const bounds = this.readBounds();
    if (bounds === undefined) return part;
    this.skip('?');
    return { kind: 'repetition', part, ...bounds };
  }

  /** Characters without a quantifier: one node for all of them. */
  private readText(): PatternNode | undefined {
    const { source, at: start } = this;
    // Requires at least two characters.
    if (IS_SYNTAX[source.charCodeAt(start)] === 1 || IS_SYNTAX[source.charCodeAt(start + 1)] === 1) return undefined;
    PLAIN.lastIndex = start;
    if (!PLAIN.test(source)) return undefined;
    let end = PLAIN.lastIndex;
    if (end < source.length && QUANTIFIERS.includes(source.charAt(end))) {
      end -= this.isUnicode && (source.codePointAt(end - 2) ?? 0) > 0xffff ? 2 : 1;
    }
    if (end - start < 2) return undefined;
    this.at = end;
    return { kind: 'text', text: source.slice(start, end) };
  }

  private readBounds(): { readonly min: number; readonly max: number } | undefined {
    switch (this.source[this.at]) {
      case '*':
        this.at++;
        return { min: 0, max: Infinity };
      case '+':
        this.at++;
        return { min: 1, max: Infinity };
      case '?':
        this.at++;
        return { min: 0, max: 1 };
      case '{':
        break;
      default:
        return undefined;
    }
    const found = this.match(QUANTIFIER);
    if (found === undefined) return undefined;
    const min = Number(found[1]);
    if (found[2] === undefined) return { min, max: min };
    return { min, max: found[3] === '' ? Infinity : Number(found[3]) };
  }

  private readTerm(): PatternNode {
    const start = this.at;
    switch (this.source[start]) {
      case '^':
        this.at++;
        return START;
      case '$':
        this.at++;
        return END;
      case '(':
        return this.readGroup();
      case '.':
        this.at++;
        return ANY;
      case '[':
        return this.readClass();
      case '\\':
        return this.readEscape();
      default:
        return this.readLiteral();
    }
  }

  private readGroup(): PatternNode {
    this.at++;
    if (this.skip('?')) {
      const isPlain = this.skip(':') || this.match(GROUP_NAME) !== undefined;
      if (!isPlain) throw this.irregularGroup();
    }
    const node = this.readChoice();
    this.skip(')');
    return node;
  }

  private irregularGroup(): PatternFault {
    return new PatternFault(
      /^<?[=!]/.test(this.source.slice(this.at, this.at + 2))
        ? 'look-around ("(?=", "(?!", "(?<=", "(?<!") is not supported'
        : 'modifiers ("(?i:") are not supported; use flags',
    );
  }

  private readClass(): PatternNode {
    const start = this.at++;
    while (this.at < this.source.length && this.source[this.at] !== ']') {
      this.at += this.source[this.at] === '\\' ? 2 : 1;
    }
    this.at++;
    return { kind: 'character', source: this.source.slice(start, this.at) };
  }

  private readEscape(): PatternNode {
    const start = this.at++;
    const next = this.source[this.at] ?? '';
    if (next === 'b' || next === 'B') {
      this.at++;
      const assertion = next === 'b' ? 'wordBoundary' : 'noWordBoundary';
      return { kind: 'assertion', assertion };
    }
    this.refuseBackReference(next);
    if (next === 'c' && this.match(CONTROL) === undefined) {
      return { kind: 'character', source: '\\\\' };
    }
    if (next !== 'c' && !this.skipLongEscape()) this.at++;
    return { kind: 'character', source: this.source.slice(start, this.at) };
  }

  private skipLongEscape(): boolean {
    const next = this.source.charAt(this.at);
    const forms = LONG_ESCAPES.get(next >= '0' && next <= '9' ? '0' : next) ?? [];
    return forms.some(
      ({ form, isUnicode }) => (isUnicode ?? this.isUnicode) === this.isUnicode && this.match(form) !== undefined,
    );
  }

  private refuseBackReference(next: string): void {
    if (next !== 'k' && !(next >= '1' && next <= '9')) return;
    this.groups ??= this.isUnicode ? ALL : countGroups(this.source);
    const { count, areNamed } = this.groups;
    const isNamed = next === 'k' && areNamed;
    const isNumbered = next !== 'k' && Number(this.peek(NUMBER)) <= count;
    if (isNamed || isNumbered) throw new PatternFault('back-references are not supported');
  }

  private readLiteral(): PatternNode {
    const code = this.isUnicode ? (this.source.codePointAt(this.at) ?? 0) : this.source.charCodeAt(this.at);
    const text = String.fromCodePoint(code);
    this.at += text.length;
    return { kind: 'character', source: SYNTAX_CHARACTERS.includes(text) ? `\\${text}` : text };
  }

  private skip(character: string): boolean {
    if (this.source[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private peek(form: RegExp): string | undefined {
    form.lastIndex = this.at;
    return form.exec(this.source)?.[0];
  }

  private match(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.at;
    const found = form.exec(this.source) ?? undefined;
    if (found !== undefined) this.at += found[0].length;
    return found;
  }
}

function countGroups(source: string): { readonly count: number; readonly areNamed: boolean } {
  let count = 0;
  let areNamed = false;
  let isInClass = false;
  for (let i = 0; i < source.length; i++) {
    const character = source[i];
    if (character === '\\') i++;
    else if (character === '[') isInClass = true;
    else if (character === ']') isInClass = false;
    else if (character === '(' && !isInClass) {
      const isNamed = /^\?<[^=!]/.test(source.slice(i + 1, i + 4));
      areNamed ||= isNamed;
      if (isNamed || source[i + 1] !== '?') count++;
    }
  }
  return { count, areNamed };
}
