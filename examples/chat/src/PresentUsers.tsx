import { Avatar } from './Avatar';

const MAX_SHOWN = 5;

interface Props {
  readonly label: string;
  readonly names: readonly string[];
}

/** Who has the room open now, or who its members are. */
export function PresentUsers({ label, names }: Props) {
  return (
    <ul className="present" aria-label={label}>
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
