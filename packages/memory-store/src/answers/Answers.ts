import {
  MillraceError,
  type JsonValue,
  type MaybePromise,
  type MemoryReply,
} from '@millrace/kernel';
import type { CommandDefinition } from '../commands/CommandDefinition.js';
import { asIs, asObject, asObjectInSteps } from '../commands/replyShapes.js';
import type { Steps } from '../steps/Steps.js';
import { Slices } from '../steps/Slices.js';
import { assertAnswerSize, isSurelyAnswerable } from './assertAnswerSize.js';

/** A reply of an engine, and the action that it answers. */
export interface ReplyOf {
  readonly definition: CommandDefinition | undefined;
  readonly reply: MemoryReply | MillraceError;
}

/** Makes results of replies, large ones in slices; those past the bound of an answer are refused. */
export class Answers {
  private readonly slices = new Slices();

  /** @throws memory.answer_too_large */
  toResult(definition: CommandDefinition, reply: MemoryReply): MaybePromise<JsonValue> {
    return isSurelyAnswerable(reply)
      ? (definition.shape ?? asIs)(reply)
      : this.slices.run(shapeInSteps(definition, reply, { bytes: 0 }));
  }

  /** The result of a transaction (MEM-51): what goes past the bound is refused in its place. */
  toResults(replies: readonly ReplyOf[]): MaybePromise<JsonValue> {
    return this.slices.run(shapeAll(replies));
  }
}

function* shapeAll(replies: readonly ReplyOf[]): Steps<JsonValue> {
  const total = { bytes: 0 };
  const results: JsonValue[] = [];
  for (const { definition, reply } of replies) {
    const { bytes } = total;
    try {
      if (reply instanceof MillraceError) throw reply;
      results.push(yield* shapeInSteps(definition, reply, total));
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      total.bytes = bytes;
      results.push({ error: { status: error.status, message: error.message } });
    }
    yield;
  }
  return results;
}

function* shapeInSteps(
  definition: CommandDefinition | undefined,
  reply: MemoryReply,
  total: { bytes: number },
): Steps<JsonValue> {
  yield* assertAnswerSize(reply, total);
  const shape = definition?.shape ?? asIs;
  return shape === asObject ? yield* asObjectInSteps(reply) : shape(reply);
}
