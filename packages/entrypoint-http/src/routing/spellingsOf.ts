/** First segments that may be written with or without an underscore (PROTO-28). */
const OPTIONAL_UNDERSCORE = ['profiles', 'users', 'roles'];
const M_DELETE = ['_mDelete', '_mdelete'];

/**
 * All spellings of a route, the declared one first: `/profiles/…` = `/_profiles/…`, the same for users and roles, and
 * `/_mDelete` = `/_mdelete`.
 */
export function spellingsOf(path: string): readonly string[] {
  const spellings = path
    .split('/')
    .map((segment, position) => alternativesOf(segment, position))
    .reduce<readonly (readonly string[])[]>(
      (paths, alternatives) => paths.flatMap((segments) => alternatives.map((segment) => [...segments, segment])),
      [[]],
    );
  return spellings.map((segments) => segments.join('/'));
}

function alternativesOf(segment: string, position: number): readonly string[] {
  const bare = segment.replace(/^_/, '');
  // Position 0 is the empty string before the first slash.
  if (position === 1 && OPTIONAL_UNDERSCORE.includes(bare)) {
    return [segment, segment === bare ? `_${bare}` : bare];
  }
  if (M_DELETE.includes(segment)) return [segment, ...M_DELETE.filter((other) => other !== segment)];
  return [segment];
}
