/** Compares the number of notifications that a connection has received with the number that the server has sent. */
export class ReceivedCount {
  #received = 0;
  #isSure = true;

  /** A new connection. */
  restart(): void {
    this.#received = 0;
    this.#isSure = true;
  }

  add(): void {
    this.#received++;
  }

  /** The server may drop notifications that it has counted already: the next heartbeat is believed. */
  unsure(): void {
    this.#isSure = false;
  }

  /** @param sent of a heartbeat (RESUME-24). @returns whether notifications were lost */
  isShortOf(sent: number): boolean {
    const isShort = this.#isSure && sent !== this.#received;
    this.#received = sent;
    this.#isSure = true;
    return isShort;
  }
}
