import { isNotFound } from "#/machinery/meta/status-error.ts";
import { CommandError } from "../base/errors.ts";
import type { Unstructured } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import type { ResourceInfo } from "../resource/resource-info.ts";
import { untilObserved, WaitTimeout } from "../resource/until.ts";

interface DeletionOptions {
  readonly timeoutMs: number;
  /** The object to be deleted; another one with its name does not count. */
  readonly uid?: string | undefined;
}

/** Waits until an object is deleted. */
export async function untilDeleted(
  context: Context,
  info: ResourceInfo,
  { timeoutMs, uid }: DeletionOptions,
): Promise<Unstructured> {
  let object: Unstructured;
  const shown = info.object;
  try {
    object = await info.get();
  } catch (error) {
    if (isNotFound(error)) return shown ?? {};
    throw error;
  }
  if (uid !== undefined && object.metadata?.uid !== uid) return object;
  if (timeoutMs === 0) throw new CommandError(`condition not met for ${info.objectName()}`);
  const isGone = (seen: Unstructured | undefined): Unstructured | undefined =>
    seen === undefined || (uid !== undefined && seen.metadata?.uid !== uid) ? object : undefined;
  return named(info, () => untilObserved(context, info, isGone, timeoutMs));
}

/** A timeout is reported with the object that it concerns. */
export async function named<T>(info: ResourceInfo, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof WaitTimeout)) throw error;
    throw new CommandError(`${error.message} on ${info.objectName()}`, { cause: error });
  }
}
