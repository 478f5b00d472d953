/** The request asks for what this engine can't do, or does not fit the mapping: the caller's mistake (400). */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly kind: 'invalid' | 'window_too_large' = 'invalid',
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** For a part of the search language that the embedded engine does not execute yet. */
export function unsupported(construct: string, path: string): Refusal {
  return new Refusal(`${construct} is not supported by the embedded engine yet (at ${path})`);
}
