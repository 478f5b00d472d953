/** Parses a stream of server-sent events as browsers do: an event counts once its empty line has arrived. */
export class EventParser {
  #onEvent;
  #decoder = new TextDecoder();
  #rest = '';
  #fields = {};

  /** @param onEvent `({name, id, data})`; `id` is undefined for an event without one */
  constructor(onEvent) {
    this.#onEvent = onEvent;
  }

  add(bytes) {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) this.#line(line);
  }

  #line(line) {
    if (line !== '') {
      const colon = line.indexOf(': ');
      this.#fields[line.slice(0, colon)] = line.slice(colon + 2);
      return;
    }
    const { event: name = 'message', id, data } = this.#fields;
    this.#fields = {};
    if (data !== undefined) this.#onEvent({ name, id, data });
  }
}
