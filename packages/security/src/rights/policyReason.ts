import type { JsonObject } from '@millrace/kernel';
import { isDocumentRule } from './Right.js';
import type { Verdict } from './Rights.js';

/** What one policy says about an action. */
export interface PolicyAnswer {
  readonly verdict: Verdict;
  /** Whether the policy alone allows the action, on the document if one is given. */
  readonly grants: boolean;
  /** Whether only its restrictions exclude the action. */
  readonly isRestricted: boolean;
}

/**
 * Why a policy allows an action or doesn't, in words that complete "the policy …".
 * @param valued gives a query with the values of the user
 * @param hasDocument whether the right is judged for one document
 */
export function policyReason(
  { verdict, grants, isRestricted }: PolicyAnswer,
  valued: (query: JsonObject) => JsonObject,
  hasDocument: boolean,
): string {
  if (verdict === true) return 'allows it';
  if (isRestricted) return 'would allow it, but is restricted to other indexes or collections';
  if (verdict === false) return 'denies it';
  const rule = verdict.find(isDocumentRule);
  if (rule === undefined) return conditionReason(grants, hasDocument);
  const { documents, fields } = rule.body as Readonly<Record<string, JsonObject | undefined>>;
  const which =
    documents === undefined ? 'every document' : `the documents that match ${JSON.stringify(valued(documents))}`;
  if (!grants) return `allows it for ${which} only`;
  return `allows it for ${which}${fields === undefined ? '' : `, for the fields ${JSON.stringify(fields)}`}`;
}

function conditionReason(holds: boolean, hasDocument: boolean): string {
  if (holds) return 'allows it, since its condition holds';
  const hint = hasDocument ? '' : '; with the _id of a document it is judged for that document';
  return `does not allow it, since its condition does not hold${hint}`;
}
