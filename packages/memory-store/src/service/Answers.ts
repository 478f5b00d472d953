import { MillraceError, type JsonValue, type MaybePromise, type MemoryReply } from '@millrace/kernel';
import type { Command } from '../commands/Command.js';
import { asIs, asObject, asObjectInSteps } from '../commands/replyShapes.js';
import type { Steps } from '../steps/Steps.js';
import { Slices } from '../steps/Slices.js';
import { assertAnswerSize, isSurelyAnswerable } from '../answers/assertAnswerSize.js';

/** A reply of an engine, and its action. */
export interface ReplyOf {
  readonly definition: Command | undefined;
  readonly reply: MemoryReply | MillraceError;
}

/** Turns replies into results, large ones in slices; refuses those beyond the size limit of an answer. */
export class Answers {
  private readonly slices = new Slices();

  /** @throws memory.answer_too_large */
  toResult(definition: Command, reply: MemoryReply): MaybePromise<JsonValue> {
    return isSurelyAnswerable(reply)
      ? (definition.shape ?? asIs)(reply)
      : this.slices.run(shapeInSteps(definition, reply, { bytes: 0 }));
  }

  /** The result of a transaction (MEM-51): a reply beyond the limit is replaced by the refusal. */
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
  definition: Command | undefined,
  reply: MemoryReply,
  total: { bytes: number },
): Steps<JsonValue> {
  yield* assertAnswerSize(reply, total);
  const shape = definition?.shape ?? asIs;
  return shape === asObject ? yield* asObjectInSteps(reply) : shape(reply);
}
