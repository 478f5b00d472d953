import type { InjectionToken } from 'tsyringe';
import type { MemoryStore } from './service/MemoryStore.js';

/** The memory store of this server. */
export const MEMORY_STORE: InjectionToken<MemoryStore> = Symbol('MemoryStore');
