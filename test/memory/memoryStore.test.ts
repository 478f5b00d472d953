import * as vitest from 'vitest';
import { describeMemoryStore } from '@millrace/testing';
import { embeddedEngine, openMemoryStore } from './openMemoryStore.js';

describeMemoryStore('the embedded engine', () => openMemoryStore(embeddedEngine()), vitest);
