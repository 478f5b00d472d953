/** The request needs an unsupported feature, or doesn't fit the mapping: a client error (400). */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly kind: 'invalid' | 'window_too_large' = 'invalid',
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** For a part of the search language that the embedded engine doesn't support yet. */
export function unsupported(construct: string, path: string): Refusal {
  return new Refusal(`${construct} is not supported by the embedded engine yet (at ${path})`);
}
