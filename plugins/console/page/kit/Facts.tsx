/** Values by their names; those that are not known are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: string | undefined])[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
