/*
 * The requests of the Actions screen, in the memory of the tab: nothing of them is stored. Answers are not kept, since
 * they may have tokens, nor is any value that may be a secret.
 */
import { CONTENT } from './toMessage.js';

/** The form of one request, and what came of it. */
export interface SentRequest {
  readonly id: number;
  readonly action: string;
  /** Text by the names of inputs, without secrets. */
  readonly values: Readonly<Record<string, string>>;
  /** Some values were left out. */
  readonly isCut: boolean;
  readonly atMs: number;
  readonly tookMs: number;
  /** Undefined: no answer. */
  readonly status: number | undefined;
}

const MAX_KEPT = 50;
/** Longer values are left out. */
const MAX_CHARACTERS = 10_000;
/** Actions whose arguments are credentials, under names that a strategy of a plugin chooses. */
const CREDENTIALS = /^auth\.|credentials|firstadmin/i;
const SECRET = /pass|secret|token|jwt|credential|api_?key|authorization|cookie/i;

let sent: readonly SentRequest[] = [];
let owner = '';
let count = 0;

/** The requests of a user, the newest first. Those of another user are forgotten. */
export function sentRequests(userId: string): readonly SentRequest[] {
  if (userId !== owner) forgetRequests();
  owner = userId;
  return sent;
}

/** Keeps a request. */
export function keepRequest(userId: string, request: Omit<SentRequest, 'id' | 'isCut'>): void {
  const values = CREDENTIALS.test(request.action) ? {} : withoutSecrets(request.values);
  const isCut = JSON.stringify(values) !== JSON.stringify(request.values);
  count += 1;
  sent = [{ ...request, id: count, values, isCut }, ...sentRequests(userId)].slice(0, MAX_KEPT);
}

export function forgetRequests(): void {
  sent = [];
}

function withoutSecrets(values: SentRequest['values']): SentRequest['values'] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, text]) => {
      if (text.length > MAX_CHARACTERS || (name !== CONTENT && SECRET.test(name))) return [];
      return [[name, textWithoutSecrets(text)]];
    }),
  );
}

/** JSON loses the members that may be secrets; the rest of the text stays as it was typed. */
function textWithoutSecrets(text: string): string {
  try {
    let hasSecret = false;
    const value: unknown = JSON.parse(text, function (this: unknown, key: string, member: unknown) {
      if (Array.isArray(this) || !SECRET.test(key)) return member;
      hasSecret = true;
      return undefined;
    });
    return hasSecret ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
