import { alsoInBody, custom, integer, required, text } from '@millrace/kernel';

const ID_LIST = { type: 'array', items: { type: 'string' } };

/** The most that a search can return. */
const MAX_ITEMS = 10_000;

function toTextList(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_ITEMS) return undefined;
  return value.every((item): item is string => typeof item === 'string') ? value : undefined;
}

/** Role ids, or policies that contain them. */
function toRoleIds(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return toTextList(value.map(roleIdOf));
}

function roleIdOf(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const { roleId, _id } = item as { readonly roleId?: unknown; readonly _id?: unknown };
  return roleId ?? _id;
}

const textList = (expected: string) => alsoInBody(custom(expected, ID_LIST, toTextList));

/** Arguments that several actions of this package share, by name. */
export const securityArguments = {
  _id: required(text()),
  /** For creations, whose body may contain the id. */
  newId: alsoInBody(required(text())),
  optionalNewId: alsoInBody(text()),
  from: alsoInBody(integer(0)),
  size: alsoInBody(integer(0)),
  ids: required(textList('a list of at most 10,000 strings')),
  indexes: textList('a list of at most 10,000 index names'),
  controllers: textList('a list of at most 10,000 controller names'),
  policies: alsoInBody(custom('a list of at most 10,000 role identifiers or policies', { type: 'array' }, toRoleIds)),
  strategy: required(text()),
  keyId: required(text()),
  graceMs: alsoInBody(integer(0)),
  /** Any value: `Tokens` validates it. */
  expiresIn: alsoInBody(
    custom('a number of seconds or a time span', { type: ['integer', 'string'] }, (value) => ({
      value,
    })),
  ),
} as const;
