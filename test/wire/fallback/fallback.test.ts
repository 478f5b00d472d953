import { fallback } from '@millrace/protocol-fallback';
import { connectFallback } from '../clients/connectFallback.js';
import { describeMessageRules } from '../describeMessageRules.js';

describeMessageRules({ name: 'fallback', plugin: fallback(), connect: connectFallback });
