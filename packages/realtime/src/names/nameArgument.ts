import { custom, type Argument } from '@millrace/kernel';

const FORM = /^[\w.:-]{1,128}$/;

/** The name of a subscription (RESUME-40). */
export function nameArgument(): Argument<string> {
  const expected = '1 to 128 letters, digits or characters of "_.:-"';
  return custom(expected, { type: 'string', pattern: FORM.source }, (value) =>
    typeof value === 'string' && FORM.test(value) ? value : undefined,
  );
}
