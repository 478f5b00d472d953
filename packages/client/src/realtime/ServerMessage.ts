/** Any message of the server but a response. */
export interface ServerMessage {
  readonly type?: string;
  readonly room?: string;
  /** Of a notification. */
  readonly roomId?: string;
  readonly cursor?: string;
  /** Of a heartbeat (RESUME-24). */
  readonly sent?: number;
}
