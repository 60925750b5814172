/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go, staging/src/k8s.io/client-go/util/csaupgrade. */
import { isConflict, isStatusError } from "#/machinery/meta/status-error.ts";
import { CommandError, messageOf } from "../../base/errors.ts";
import { fieldAt, type Unstructured } from "../../base/unstructured.ts";
import { lastAppliedAnnotation } from "../../command/last-applied.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { type Applying, warnIfDeleting } from "./applying.ts";
import { managedFieldsPatch } from "./managed-fields-patch.ts";

const conflictAdvice = `Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`;

/** Limit of retries (count) for changing field managers after a conflict. */
const maxRetries = 5;

/** Server-side apply of an object. */
export async function applyServerSide(applying: Applying, info: ResourceInfo): Promise<void> {
  const wanted = info.object ?? {};
  info.refresh(await send(applying, info, wanted));
  await migrate(applying, info, wanted);
  warnIfDeleting(applying, info.object ?? {});
  applying.visitedUids.add(info.object?.metadata?.uid ?? "");
  applying.print("serverside-applied", info.object ?? {});
}

async function send(
  applying: Applying,
  info: ResourceInfo,
  object: Unstructured,
): Promise<Unstructured> {
  const { flags } = applying;
  try {
    return await patch(applying, info, object, {
      force: flags["force-conflicts"],
      subresource: flags.subresource,
    });
  } catch (error) {
    if (isStatusError(error) && error.status.code === 415) {
      throw new CommandError(
        `Server-side apply not available on the server: (${messageOf(error)})`,
      );
    }
    if (isConflict(error)) throw new CommandError(`${messageOf(error)}\n${conflictAdvice}`);
    throw error;
  }
}

interface SendOptions {
  readonly force?: boolean;
  readonly subresource?: string;
  readonly fieldManager?: string;
}

async function patch(
  { context, dryRun, fieldManager, fieldValidation }: Applying,
  info: ResourceInfo,
  object: Unstructured,
  options: SendOptions,
): Promise<Unstructured> {
  const client = await context.cluster.client();
  return client.patch(info.mapping, info.ref(), JSON.stringify(object), {
    type: "apply",
    dryRun: dryRun === "server",
    fieldManager: options.fieldManager ?? fieldManager,
    fieldValidation,
    force: options.force ?? false,
    subresource: options.subresource || undefined,
  });
}

/** Migrates an object from client-side to server-side apply. */
async function migrate(
  applying: Applying,
  info: ResourceInfo,
  wanted: Unstructured,
): Promise<void> {
  const { err } = applying.context;
  try {
    await keepAnnotation(applying, info);
  } catch (error) {
    err.write(
      `Warning: failed to migrate kubectl.kubernetes.io/last-applied-configuration for Server-Side Apply. This is non-fatal and will be retried next time you apply. Error: ${messageOf(error)}\n`,
    );
    return;
  }
  let isChanged = false;
  try {
    isChanged = await takeOverFields(applying, info);
  } catch (error) {
    err.write(
      `Warning: server rejected managed fields migration to Server-Side Apply. This is non-fatal and will be retried next time you apply. Error: ${messageOf(error)}\n`,
    );
  }
  if (!isChanged) return;
  try {
    info.refresh(await patch(applying, info, wanted, { force: applying.flags["force-conflicts"] }));
  } catch (error) {
    err.write(
      `Warning: failed to re-apply configuration after performing Server-Side Apply migration. This is non-fatal and will be retried next time you apply. Error: ${messageOf(error)}\n`,
    );
  }
}

/** The annotation is kept when its manager changes. */
async function keepAnnotation(applying: Applying, info: ResourceInfo): Promise<void> {
  if (applying.fieldManager !== "kubectl") return;
  const { metadata = {}, apiVersion, kind } = info.object ?? {};
  const text = metadata.annotations?.[lastAppliedAnnotation];
  if (text === undefined || managersOfAnnotation(info.object ?? {}, "Apply").length > 0) return;
  const { name, namespace } = metadata;
  const annotations = { [lastAppliedAnnotation]: text };
  const object = { apiVersion, kind, metadata: { name, namespace, annotations } } as Unstructured;
  info.refresh(await patch(applying, info, object, { fieldManager: "kubectl-last-applied" }));
}

/** Transfers fields of client-side apply to server-side apply. */
async function takeOverFields(applying: Applying, info: ResourceInfo): Promise<boolean> {
  const { context, dryRun, fieldManager } = applying;
  const old = managersOfAnnotation(info.object ?? {}, "Update");
  const client = await context.cluster.client();
  for (let retries = 0; ; retries++) {
    const operations = managedFieldsPatch(info.object ?? {}, old, fieldManager);
    if (operations === undefined) return false;
    try {
      const options = { type: "json", dryRun: dryRun === "server", fieldManager } as const;
      info.refresh(await client.patch(info.mapping, info.ref(), operations, options));
      return true;
    } catch (error) {
      if (!isConflict(error) || retries >= maxRetries) throw error;
      await info.get();
    }
  }
}

/** The manager of the annotation for an operation. */
function managersOfAnnotation({ metadata }: Unstructured, operation: string): string[] {
  const entries = (metadata?.managedFields ?? []) as Record<string, unknown>[];
  return entries
    .filter(
      (entry) =>
        entry["operation"] === operation &&
        fieldAt(entry["fieldsV1"], "f:metadata", "f:annotations", `f:${lastAppliedAnnotation}`) !==
          undefined,
    )
    .map((entry) => String(entry["manager"]));
}
