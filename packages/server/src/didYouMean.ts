import { closestName } from '@millrace/kernel';

/** The end of a message about an unknown name: `: did you mean "document.create"?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const closest = closestName(name, known);
  return closest === undefined ? '' : `: did you mean ${JSON.stringify(closest)}?`;
}
