import { AssertionProblem } from './readAssertion.js';

/**
 * Patterns in node-saml's error messages, and the messages used instead; the original ones may quote the response.
 */
const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/audience/i, 'it was made for another audience'],
  [/InResponseTo/i, 'it answers no request of this server, or one that has been answered'],
  [/expired|too old/i, 'it has expired'],
  [/not yet valid/i, 'it is not valid yet'],
  [/signature|signed|transforms|Referenced|ref URI/i, 'it is not signed as it must be'],
  [/SAML provider returned/i, 'the identity provider denied the login'],
  [/confirmation/i, 'it has expired, or confirms no bearer'],
  [/Encrypted|decrypt/i, 'it is encrypted, which this server has not asked for'],
];

/** The problem with a response, without any part of it. */
export function toProblem(error: unknown): string {
  if (error instanceof AssertionProblem) return error.message;
  const text = error instanceof Error ? error.message : '';
  return PROBLEMS.find(([words]) => words.test(text))?.[1] ?? 'it is no valid answer';
}
