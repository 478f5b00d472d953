import type { JsonProblem } from '../kit/JsonField.jsx';

/** A value of a JSON text, and its place. */
export interface Place {
  /** As the server writes it: `query.bool.must[0].range`; empty for the whole text. */
  readonly path: string;
  /** Where the key of the value begins, or the value itself if it has none. */
  readonly from: number;
  /** Where that key or value ends. */
  readonly to: number;
}

/** Where the caret is. */
export interface CaretPlace {
  readonly isKey: boolean;
  /** The keys of the objects around it; of a value also its own. Positions in lists are left out. */
  readonly path: readonly string[];
  readonly isInList: boolean;
  /** The name that is being typed, without its quote. */
  readonly typed: string;
  /** Where the name begins, with its quote. */
  readonly from: number;
  /** The keys before it in the same object. */
  readonly keys: readonly string[];
}

interface Frame {
  readonly isList: boolean;
  readonly path: string;
  readonly keys: string[];
  count: number;
}

type Expected = 'key' | 'value' | ':' | ',' | 'end';

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;
/** As the server allows for names of aggregations. */
const MAX_NAME_LENGTH = 512;
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** Reads a JSON text that may be wrong or not complete, up to the first error. */
export class JsonText {
  readonly places: Place[] = [];
  /** The first error of its syntax. */
  readonly problem: JsonProblem | undefined;
  /** The text is not complete. */
  readonly isCut: boolean;
  private readonly frames: Frame[] = [];
  private expected: Expected = 'value';
  /** Of the value that is next. */
  private keyAt: readonly [number, number] | undefined;
  private isFirst = true;

  constructor(readonly text: string) {
    for (const { 0: token, index } of text.matchAll(TOKEN)) {
      const to = index + token.length;
      const wrong = this.read(token, index, to);
      if (wrong === undefined) continue;
      this.problem = { message: `expected ${wrong}, not ${token.slice(0, 40)}`, at: index, to };
      this.isCut = false;
      return;
    }
    this.isCut = this.expected !== 'end';
    if (!this.isCut) return;
    const missing = this.frames.length === 0 ? 'a value' : (this.frames.at(-1)?.isList ?? false) ? ']' : '}';
    this.problem = {
      message: `expected ${missing}, not the end of the text`,
      at: text.trimEnd().length,
      to: text.length,
    };
  }

  /** The place of the caret; undefined where no name can be. */
  static at(text: string, caret: number): CaretPlace | undefined {
    const before = text.slice(0, caret);
    const isString = isInString(before);
    if (!isString && before.endsWith('"')) return undefined;
    const from = isString ? openQuote(before) : wordStart(before);
    const name = before.slice(isString ? from + 1 : from);
    if (name.length > MAX_NAME_LENGTH) return undefined;
    const around = new JsonText(before.slice(0, from));
    const { expected } = around;
    const frame = around.frames.at(-1);
    if (!around.isCut || frame === undefined || (expected !== 'key' && expected !== 'value')) return undefined;
    const isKey = expected === 'key';
    const path = around.frames.flatMap(({ isList, keys }, depth) => {
      const isOpen = !isList && (depth < around.frames.length - 1 || !isKey);
      return isOpen ? (keys.at(-1) ?? []) : [];
    });
    return { isKey, path, isInList: frame.isList, typed: name, from, keys: isKey ? frame.keys : [] };
  }

  /** Where an error of the server is: at the longest path that its message has, and there at the name that it quotes. */
  placeOf(message: string): Place | undefined {
    const found = this.places
      .filter(({ path }) => path === '' || hasPath(message, path))
      .reduce<Place | undefined>(
        (best, place) => (place.path.length >= (best?.path.length ?? 0) ? place : best),
        undefined,
      );
    const base = found?.path ?? '';
    for (const [, quoted] of message.matchAll(/["`']([^"`']{1,200})["`']/g)) {
      const inside = this.places.find(({ path }) => path === (base === '' ? quoted : `${base}.${quoted}`));
      if (inside !== undefined) return inside;
    }
    return base === '' ? undefined : found;
  }

  /** @returns what was expected, if it is something else */
  private read(token: string, from: number, to: number): string | undefined {
    const frame = this.frames.at(-1);
    if (token === '}' || token === ']') return this.close(frame, token);
    this.isFirst = false;
    if (token === ':' || token === ',') return this.separate(frame, token);
    if (this.expected === 'key') return this.readKey(frame, token, from, to);
    if (this.expected !== 'value') return this.expectedName(frame);
    const path = frame === undefined ? '' : pathIn(frame);
    const [start, end] = this.keyAt ?? [from, to];
    this.places.push({ path, from: start, to: end });
    this.keyAt = undefined;
    if (token === '{' || token === '[') {
      const isList = token === '[';
      this.frames.push({ isList, path, keys: [], count: 0 });
      this.expected = isList ? 'value' : 'key';
      this.isFirst = true;
      return undefined;
    }
    if (!token.startsWith('"') ? !SCALAR.test(token) : !isString(token)) return 'a value';
    this.expected = this.frames.length === 0 ? 'end' : ',';
    return undefined;
  }

  private close(frame: Frame | undefined, token: string): string | undefined {
    const fits = frame !== undefined && token === (frame.isList ? ']' : '}');
    if (!fits || (this.expected !== ',' && !this.isFirst)) return this.expectedName(frame);
    this.frames.pop();
    this.isFirst = false;
    this.expected = this.frames.length === 0 ? 'end' : ',';
    return undefined;
  }

  private separate(frame: Frame | undefined, token: string): string | undefined {
    if (frame === undefined || this.expected !== token) return this.expectedName(frame);
    if (token === ',') frame.count += 1;
    this.expected = token === ':' || frame.isList ? 'value' : 'key';
    return undefined;
  }

  private readKey(frame: Frame | undefined, token: string, from: number, to: number): string | undefined {
    if (frame === undefined || !isString(token)) return 'a name in quotes';
    frame.keys.push(JSON.parse(token) as string);
    this.keyAt = [from, to];
    this.expected = ':';
    return undefined;
  }

  private expectedName(frame: Frame | undefined): string {
    switch (this.expected) {
      case 'key':
        return 'a name in quotes';
      case 'value':
        return 'a value';
      case ':':
        return ':';
      case ',':
        return frame?.isList === true ? ', or ]' : ', or }';
      case 'end':
        return 'the end';
    }
  }
}

function pathIn({ isList, path, keys, count }: Frame): string {
  if (isList) return `${path}[${count}]`;
  const key = keys.at(-1) ?? '';
  return path === '' ? key : `${path}.${key}`;
}

function isString(token: string): boolean {
  try {
    return typeof JSON.parse(token) === 'string';
  } catch {
    return false;
  }
}

function openQuote(text: string): number {
  let at = text.lastIndexOf('"');
  while (at > 0 && /(?:^|[^\\])(?:\\\\)*\\$/.test(text.slice(Math.max(0, at - 100), at)))
    at = text.lastIndexOf('"', at - 1);
  return at;
}

function wordStart(text: string): number {
  let at = text.length;
  while (at > 0 && /[\w.]/.test(text[at - 1] ?? '')) at -= 1;
  return at;
}

/** Whether the end is inside of a string. */
function isInString(text: string): boolean {
  const line = text.slice(text.lastIndexOf('\n') + 1).replace(/\\./g, '');
  return (line.match(/"/g)?.length ?? 0) % 2 === 1;
}

function hasPath(message: string, path: string): boolean {
  for (let at = message.indexOf(path); at >= 0; at = message.indexOf(path, at + 1)) {
    const [before = ' ', after = ''] = [message[at - 1], message.slice(at + path.length)];
    if (!/[\w.\]"]/.test(before) && !/^(?:[\w["]|\.\w)/.test(after)) return true;
  }
  return false;
}
