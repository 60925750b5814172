import type { Resource } from "#/api/base/resource.ts";
import { refOf } from "#/client/object-key.ts";
import { type Controller, type ControllerContext, controller } from "#/controller/controller.ts";
import { asError } from "#/std/base/as-error.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { LocalSnapshot, LocalVolume } from "../base/custom-objects.ts";

type LocalObject = LocalVolume | LocalSnapshot;

interface ObjectWork<T extends LocalObject> {
  readonly resource: Resource<T>;
  readonly nodeName: string;
  /** Makes what the object says, unless it is there, and returns the status. */
  make(object: T): Promise<T["status"]>;
  remove(object: T): Promise<void>;
  /** Called after each change of this node. */
  changed(): void;
}

/** Failures that do not end by themselves: the controller that has created the object decides. */
const finalCodes: ReadonlySet<string> = new Set([
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "RESOURCE_EXHAUSTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
]);

/** Limit of objects that a node works on at a time: a copy keeps one disk busy. */
const workers = 8;

/** Does what the objects of a node say, and writes the results into their status, which is all that a node may write. */
export function workOnObjects<T extends LocalObject>(work: ObjectWork<T>): Controller<unknown> {
  const { resource, nodeName } = work;
  return controller<T>({
    name: `${resource.singular}-node`,
    for: resource,
    select: { fieldSelector: `spec.nodeName=${nodeName}` },
    workers,
    async reconcile(object, context) {
      if (object.spec.nodeName !== nodeName) return;
      if (object.metadata.deletionTimestamp) await remove(object, work, context);
      else await make(object, work, context);
    },
  });
}

async function remove<T extends LocalObject>(
  object: T,
  work: ObjectWork<T>,
  { client }: ControllerContext,
): Promise<void> {
  if (object.status?.phase === "Deleted") return;
  await work.remove(object);
  work.changed();
  const status = { phase: "Deleted", error: null };
  await client.patchStatus(work.resource, refOf(object), { status });
}

async function make<T extends LocalObject>(
  object: T,
  work: ObjectWork<T>,
  { client }: ControllerContext,
): Promise<void> {
  if (object.status?.phase !== undefined) return;
  const report = (status: object) => client.patchStatus(work.resource, refOf(object), { status });
  try {
    const status = await work.make(object);
    work.changed();
    await report({ ...status, phase: "Ready", error: null });
  } catch (thrown) {
    if (!(thrown instanceof GrpcError)) {
      await reportRetry(object, asError(thrown), report);
      throw thrown;
    }
    const { code, details: message } = thrown;
    const phase = finalCodes.has(code) ? "Failed" : undefined;
    await report({ ...(phase && { phase }), error: { code, message } });
    if (!phase) throw thrown;
  }
}

/** A failure that is retried is in the status as well, once. */
async function reportRetry(
  { status }: LocalObject,
  { message }: Error,
  report: (status: object) => Promise<unknown>,
): Promise<void> {
  if (status?.error?.message !== message) await report({ error: { code: "INTERNAL", message } });
}
