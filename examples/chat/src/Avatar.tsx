/** The first letter of a name on a colour that depends on the name. */
export function Avatar({ name }: { readonly name: string }) {
  let hue = 0;
  for (const letter of name) hue = (hue * 31 + letter.charCodeAt(0)) % 360;
  return (
    <span className="avatar" aria-hidden="true" style={{ '--hue': hue } as object}>
      {name.charAt(0).toUpperCase()}
    </span>
  );
}
