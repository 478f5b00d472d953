import { websocket } from '@millrace/protocol-websocket';
import { connectWebsocket } from '../clients/connectWebsocket.js';
import { describeMessageRules } from '../describeMessageRules.js';

describeMessageRules({ name: 'websocket', plugin: websocket(), connect: connectWebsocket });
