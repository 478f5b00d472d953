import type * as aedes from 'aedes';
import type { Aedes, AuthenticateError, Client } from 'aedes';
import type { ProtocolHost } from '@millrace/kernel';
import { AEDES } from './AEDES.js';
import type { ClientIds } from './ClientIds.js';
import type { ClientSession } from './ClientSession.js';
import type { MqttConfig } from './config.js';
import { ConnectionPersistence } from './ConnectionPersistence.js';
import { logIn } from './logIn.js';
import { SessionUser } from './SessionUser.js';
import { SilentEmitter } from './SilentEmitter.js';

// Return codes of CONNACK (MQTT 3.1.1 section 3.2.2.3).
const IDENTIFIER_REJECTED = 2;
const SERVER_UNAVAILABLE = 3;

const MAX_CLIENT_ID_LENGTH = 1_024;
/** QoS 2 messages that a client has not released (PUBREL): the connection is closed above it (PROTO-76). */
const MAX_UNRELEASED = 1_000;
const EMPTY = Buffer.alloc(0);

/**
 * Handles the packets of MQTT 3.1 and 3.1.1 with the library aedes; this class decides who may connect, subscribe and
 * publish. Requests are taken from the broker as soon as they are authorised, and nothing is ever published through
 * it.
 */
export class MqttBroker {
  private readonly broker: Aedes;
  private readonly sessions = new WeakMap<Client, ClientSession>();
  private readonly persistence = new ConnectionPersistence((client, messageId) =>
    this.sessions.get(client as Client)?.acknowledged(messageId),
  );
  /** CONNECT packets of clients that want their session kept. */
  private readonly persistent = new WeakMap<Client, { clean: boolean }>();

  /** Imports the library and starts it. @throws core.library_unavailable */
  static async open(host: ProtocolHost, config: MqttConfig, clientIds: ClientIds): Promise<MqttBroker> {
    const broker = new MqttBroker(await AEDES.load(), host, config, clientIds);
    await broker.broker.listen();
    return broker;
  }

  private constructor(
    library: typeof aedes,
    private readonly host: ProtocolHost,
    config: MqttConfig,
    private readonly clientIds: ClientIds,
  ) {
    const maxKeepAliveSeconds = Math.ceil(config.maxKeepAliveMs / 1_000);
    this.broker = new library.Aedes({
      mq: new SilentEmitter(),
      persistence: this.persistence,
      connectTimeout: config.connectTimeoutMs,
      maxInflightInbound: MAX_UNRELEASED,
      preConnect: (client, packet, done) => {
        // Only users have sessions, and who connects isn't known yet; there are no wills.
        if (packet.clean === false) this.persistent.set(client, packet as { clean: boolean });
        packet.clean = true;
        delete packet.will;
        const { keepalive = 0 } = packet;
        const isTooLong = keepalive === 0 || keepalive > maxKeepAliveSeconds;
        if (isTooLong) packet.keepalive = maxKeepAliveSeconds;
        done(null, true);
      },
      authenticate: (client, userName, password, done) => {
        void this.admit(client, userName, password).then((returnCode) => {
          done(returnCode === 0 ? null : refusal(returnCode), returnCode === 0);
        });
      },
      authorizeSubscribe: (client, subscription, done) => {
        const isAllowed = this.sessions.get(client)?.subscribe(subscription.topic, subscription.qos) === true;
        done(null, isAllowed ? subscription : null);
      },
      authorizePublish: (client, packet, done) => {
        const session = client === null ? undefined : this.sessions.get(client);
        const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
        // The broker keeps the packet until a QoS 2 message is released, and may retain it: keep it empty.
        packet.payload = EMPTY;
        packet.retain = false;
        session?.take(packet.topic, payload);
        done(null);
      },
    });
    this.broker.on('connackSent', ({ returnCode }, client) => {
      if (returnCode === 0) this.sessions.get(client)?.resume();
    });
    this.broker.on('unsubscribe', (topics, client) => {
      for (const topic of topics) this.sessions.get(client)?.unsubscribe(topic);
    });
    const log = (error: Error) => host.log.debug({ err: error }, 'MQTT connection broke');
    this.broker.on('clientError', (_, error) => log(error));
    this.broker.on('connectionError', (_, error) => log(error));
    // Missing in the library's typed events.
    (this.broker as NodeJS.EventEmitter).on('error', (error) => {
      host.log.error({ err: error as Error }, 'MQTT broker error');
    });
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.broker.close(resolve));
  }

  /** Reads and answers the packets of a session until its socket closes. */
  handle(session: ClientSession): void {
    const client = this.broker.handle(session.stream);
    this.sessions.set(client, session);
    session.attach((topic) => client.unsubscribe({ cmd: 'unsubscribe', unsubscriptions: [topic] }, () => undefined));
  }

  /** @returns the return code of CONNACK: 0 if the client may connect */
  private async admit(client: Client, userName: string | undefined, password: Buffer | undefined): Promise<number> {
    const session = this.sessions.get(client);
    if (session === undefined) return SERVER_UNAVAILABLE;
    if (!isClientId(client.id)) return IDENTIFIER_REJECTED;
    session.announce(client.id);
    try {
      const outcome = await logIn(this.host, session.connection, { userName, password });
      if (outcome.kind === 'refused') return outcome.returnCode;
      if (outcome.kind === 'user') session.actAs(new SessionUser(outcome));
    } catch (error) {
      this.host.log.error({ err: error }, 'MQTT login failed');
      return SERVER_UNAVAILABLE;
    }
    if (!(await this.clientIds.claim(session))) return IDENTIFIER_REJECTED;
    const packet = this.persistent.get(client);
    // Before CONNACK, so that the next connection doesn't find what this one ends (MQTT-3.1.2-6).
    if (packet === undefined) await session.discard();
    else await this.restore(client, session, packet);
    return 0;
  }

  /** Lets the broker restore the topics of the client's session; without one, the connection is as a clean one. */
  private async restore(client: Client, session: ClientSession, packet: { clean: boolean }): Promise<void> {
    const channels = await session.persist();
    if (channels === undefined) return;
    // With a clean client, the broker takes the end of the connection for an UNSUBSCRIBE.
    client.clean = false;
    packet.clean = false;
    if (channels.length > 0) this.persistence.restore(client.id, [session.responseTopic, ...channels]);
  }
}

function refusal(returnCode: number): AuthenticateError {
  // The library declares the codes as an enum.
  return Object.assign(new Error('refused'), { returnCode: returnCode as never });
}

/** Whether a client id can be part of a response topic: no wildcard, no NUL, of reasonable length. */
function isClientId(text: string): boolean {
  return text.length <= MAX_CLIENT_ID_LENGTH && !/[+#\0]/.test(text);
}
