import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Page, Result, SelectedEvent } from "../../registry/result.ts";
import type { PreparedForm, VersionedResource } from "../../registry/served-resource.ts";
import type { StoredObject } from "../../registry/stored-object.ts";
import type { WebhookConversion } from "../../registry/strategy.ts";
import { inTurns } from "../in-turns.ts";

/**
 * A stored object that can be written in the version of a request. Writers accept no others: only the functions of this
 * file make one.
 */
export interface PreparedObject extends StoredObject {
  parsed(): PreparedForm;
  peek(): PreparedForm;
  encoded(form: string, make: (object: PreparedForm) => Uint8Array): Uint8Array;
}

export interface PreparedPage extends Page {
  readonly items: readonly PreparedObject[];
}

export interface PreparedEvent extends SelectedEvent {
  readonly object: PreparedObject;
}

/** The result of a verb, ready to be written. */
export type PreparedResult =
  | Exclude<Result, { readonly type: "object" | "list" }>
  | { readonly type: "object"; readonly status: number; readonly object: PreparedObject }
  | { readonly type: "list"; readonly page: PreparedPage };

/** Limits of the objects in one call of a webhook (count, bytes): nothing else is served while its response is read. */
const maxBatch = 500;
const maxBatchBytes = 1024 * 1024;

/** Converts the objects of a result by a webhook, if there is one. */
export function prepareResult(
  result: Result,
  { version: { webhook } }: VersionedResource,
): MaybePromise<PreparedResult> {
  const prepared = result as PreparedResult;
  if (!webhook || (result.type !== "object" && result.type !== "list")) return prepared;
  const objects = result.type === "list" ? result.page.items : [result.object];
  return prepareAll(objects, webhook).then(() => prepared);
}

async function prepareAll(
  objects: readonly StoredObject[],
  webhook: WebhookConversion,
): Promise<void> {
  let batch: StoredObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    const isFull = batch.length === maxBatch || bytes + object.sizeBytes > maxBatchBytes;
    if (isFull && batch.length > 0) {
      await webhook.prepare(await inTurns(batch, (one) => one.parsed()));
      batch = [];
      bytes = 0;
    }
    batch.push(object);
    bytes += object.sizeBytes;
  }
  await webhook.prepare(await inTurns(batch, (one) => one.parsed()));
}

/** Converts the object of an event by a webhook. */
export async function prepareEvent(
  event: SelectedEvent,
  { version: { webhook } }: VersionedResource,
): Promise<PreparedEvent> {
  await webhook?.prepare([event.object.parsed()]);
  return event as PreparedEvent;
}

/** An object that a verb has made in the version of the request. */
export const preparedAlready = (object: StoredObject): PreparedObject => object as PreparedObject;

/** The event itself if no webhook converts: then every object is prepared. */
export function findPrepared(
  event: SelectedEvent,
  { version: { webhook } }: VersionedResource,
): PreparedEvent | undefined {
  return webhook ? undefined : (event as PreparedEvent);
}
