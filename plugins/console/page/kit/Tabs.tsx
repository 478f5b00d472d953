/** A row of choices of which one is taken; arrow keys move between them. */
export function Tabs<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
}) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const at = options.findIndex(([name]) => name === value);
    const next = options[(at + step + options.length) % options.length];
    if (next === undefined) return;
    onChange(next[0]);
    const buttons = (event.currentTarget as HTMLElement).querySelectorAll('button');
    buttons[options.indexOf(next)]?.focus();
  };
  return (
    <div class="tabs" role="radiogroup" aria-label={label} onKeyDown={move}>
      {options.map(([name, title]) => (
        <button
          type="button"
          role="radio"
          key={name}
          aria-checked={name === value}
          tabIndex={name === value ? 0 : -1}
          onClick={() => onChange(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
