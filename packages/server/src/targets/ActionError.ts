/** An error that an action returned. */
export class ActionError extends Error {
  constructor(
    message: string,
    /** Such as `document.not_found`; empty if the answer is not a Millrace error. */
    readonly id: string,
    readonly status: number,
  ) {
    super(message);
  }
}
