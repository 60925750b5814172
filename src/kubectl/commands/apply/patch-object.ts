/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/apply/patcher.go. */

import { isConflict, isNotFound, isStatusError } from "#/machinery/meta/status-error.ts";
import {
  createThreeWayMergePatch,
  type ThreeWayDocuments,
} from "#/machinery/patch/create-merge-patch.ts";
import { createThreeWayStrategicMergePatch } from "#/machinery/patch/create-strategic-merge-patch.ts";
import { applyMergePatch } from "#/machinery/patch/merge-patch.ts";
import {
  PreconditionFailed,
  requireKeyUnchanged,
  requireMetadataKeyUnchanged,
} from "#/machinery/patch/preconditions.ts";
import { applyStrategicMergePatch } from "#/machinery/patch/strategic-merge-patch.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { addSource, CommandError, messageOf } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { withoutVersion } from "../../base/unstructured.ts";
import { originalConfiguration } from "../../command/last-applied.ts";
import type { Mapping } from "../../discovery/discovered-group.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import type { Applying } from "./applying.ts";

/** Limit of retries (count) after a conflict. */
const maxRetries = 5;
const retryMs = 1000;

interface Patched {
  readonly patch: Record<string, unknown>;
  readonly object: Unstructured;
}

interface Documents {
  readonly current: Unstructured;
  readonly modified: Unstructured;
}

/** A patch that the server rejected. */
export class FailedPatch extends Error {
  override readonly name = "FailedPatch";
  readonly patch: Record<string, unknown>;

  constructor(patch: Record<string, unknown>, cause: unknown) {
    super(messageOf(cause), { cause });
    this.patch = patch;
  }
}

/** Patches an object; retries after a conflict, and with --force deletes and creates it. */
export async function patchObject(
  applying: Applying,
  info: ResourceInfo,
  { current, modified }: Documents,
): Promise<Patched> {
  let latest = current;
  for (let retries = 0; ; retries++) {
    const { patch, type } = computePatch(
      info.mapping,
      { current: latest, modified },
      applying.flags.overwrite,
    );
    if (Object.keys(patch).length === 0) return { patch, object: latest };
    if (applying.dryRun === "client")
      return { patch, object: applyLocally(info.mapping, latest, patch, type) };
    try {
      return { patch, object: await send(applying, info, patch, type) };
    } catch (error) {
      if (isConflict(error) && retries < maxRetries) {
        if (retries > 0) await applying.context.clock.sleep(retryMs, applying.context.signal);
        latest = await info.get();
        continue;
      }
      const canForce = isConflict(error) || isStatusError(error, "Invalid");
      if (applying.flags.force && canForce)
        return deleteAndCreate(applying, info, { current: latest, modified });
      throw new FailedPatch(patch, addSource("patching", info.source, error));
    }
  }
}

type PatchType = "strategic" | "merge";

async function send(
  { context, dryRun, fieldManager, fieldValidation }: Applying,
  info: ResourceInfo,
  patch: Record<string, unknown>,
  type: PatchType,
): Promise<Unstructured> {
  const client = await context.cluster.client();
  const options = { type, dryRun: dryRun === "server", fieldManager, fieldValidation };
  return client.patch(info.mapping, info.ref(), patch, options);
}

/** The patch from the live object to the desired one. */
export function computePatch(
  mapping: Mapping,
  { current, modified }: Documents,
  overwrite: boolean,
): { patch: Record<string, unknown>; type: PatchType } {
  const original = JSON.parse(originalConfiguration(current) || "{}") as Unstructured;
  const documents: ThreeWayDocuments = { original, modified, current };
  const schema = findSchema(mapping.group, mapping.version, mapping.kind);
  if (schema) {
    const patch = createThreeWayStrategicMergePatch(schema, documents, { overwrite });
    return { patch: { ...patch }, type: "strategic" };
  }
  try {
    const patch = createThreeWayMergePatch(documents, [
      requireKeyUnchanged("apiVersion"),
      requireKeyUnchanged("kind"),
      requireMetadataKeyUnchanged("name"),
    ]);
    return { patch: { ...patch }, type: "merge" };
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error;
    throw new CommandError("At least one of apiVersion, kind and name was changed", {
      cause: error,
    });
  }
}

function applyLocally(
  { group, version, kind }: Mapping,
  current: Unstructured,
  patch: Record<string, unknown>,
  type: PatchType,
): Unstructured {
  const schema = findSchema(group, version, kind);
  if (type === "strategic" && schema) {
    return applyStrategicMergePatch(schema, current, patch) as Unstructured;
  }
  return applyMergePatch(current, patch) as Unstructured;
}

async function deleteAndCreate(
  applying: Applying,
  info: ResourceInfo,
  { current, modified }: Documents,
): Promise<Patched> {
  const { context, cascade, flags, fieldManager, fieldValidation } = applying;
  const client = await context.cluster.client();
  const grace = flags["grace-period"];
  await client.delete(info.mapping, info.ref(), {
    propagationPolicy: cascade,
    ...(grace >= 0 ? { gracePeriodSeconds: grace } : {}),
  });
  await untilNotFound(applying, info);
  const options = { namespace: info.namespace, fieldManager, fieldValidation };
  const patch = { ...modified };
  try {
    return { patch, object: await client.create(info.mapping, withoutVersion(modified), options) };
  } catch (error) {
    try {
      await client.create(info.mapping, withoutVersion(current), options);
    } catch (restoreError) {
      throw new FailedPatch(
        patch,
        new CommandError(
          `An error occurred force-replacing the existing object with the newly provided one:\n\n${messageOf(error)}.\n\nAdditionally, an error occurred attempting to restore the original object:\n\n${messageOf(restoreError)}`,
        ),
      );
    }
    throw new FailedPatch(patch, error);
  }
}

async function untilNotFound({ context, flags }: Applying, info: ResourceInfo): Promise<void> {
  const end = context.clock.monotonicMs() + flags.timeout;
  for (;;) {
    try {
      await info.get();
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    if (flags.timeout > 0 && context.clock.monotonicMs() > end) {
      throw new CommandError("context deadline exceeded");
    }
    await context.clock.sleep(retryMs, context.signal);
  }
}
