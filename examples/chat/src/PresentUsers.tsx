import { Avatar } from './Avatar';

const MAX_SHOWN = 5;

/** Who has the room open now. */
export function PresentUsers({ names }: { readonly names: readonly string[] }) {
  return (
    <ul className="present" aria-label="Here now">
      {names.slice(0, MAX_SHOWN).map((name) => (
        <li key={name} title={name}>
          <Avatar name={name} />
          <span className="hidden">{name}</span>
        </li>
      ))}
      {names.length > MAX_SHOWN && <li>+{names.length - MAX_SHOWN}</li>}
    </ul>
  );
}
