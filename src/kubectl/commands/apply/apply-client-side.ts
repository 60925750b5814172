/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go (applyOneObject). */

import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { addSource } from "../../base/errors.ts";
import { type Unstructured, withoutVersion } from "../../base/unstructured.ts";
import {
  lastAppliedAnnotation,
  originalConfiguration,
  withLastApplied,
} from "../../command/last-applied.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { type Applying, warnIfDeleting } from "./applying.ts";
import { FailedPatch, patchObject } from "./patch-object.ts";

/** Creates an object, or patches it by a three-way merge of the last applied, the desired and the live configuration. */
export async function applyClientSide(applying: Applying, info: ResourceInfo): Promise<void> {
  const wanted = info.object ?? {};
  const modified = withLastApplied(wanted);
  const current = await currentObject(info);
  if (current === undefined) return createObject(applying, info, modified);
  applying.visitedUids.add(current.metadata?.uid ?? "");
  if (originalConfiguration(current) === undefined) {
    applying.context.err.write(
      `Warning: resource ${info.objectName()} is missing the ${lastAppliedAnnotation} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.\n`,
    );
  }
  const { patch, object } = await patched(applying, info, { current, modified });
  info.refresh(object);
  warnIfDeleting(applying, object);
  applying.print(Object.keys(patch).length === 0 ? "unchanged" : "configured", object);
}

async function currentObject(info: ResourceInfo): Promise<Unstructured | undefined> {
  try {
    return await info.get();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    const what = `retrieving current configuration of:\n${describe(info)}\nfrom server for:`;
    throw addSource(what, info.source, error);
  }
}

async function createObject(
  applying: Applying,
  info: ResourceInfo,
  modified: Unstructured,
): Promise<void> {
  const { context, dryRun, fieldManager, fieldValidation } = applying;
  const object = withoutNulls(modified) as Unstructured;
  info.object = object;
  if (dryRun !== "client") {
    const client = await context.cluster.client();
    try {
      const options = {
        namespace: info.namespace,
        dryRun: dryRun === "server",
        fieldManager,
        fieldValidation,
      };
      info.refresh(await client.create(info.mapping, withoutVersion(object), options));
    } catch (error) {
      throw addSource("creating", info.source, error);
    }
  }
  applying.visitedUids.add(info.object?.metadata?.uid ?? "");
  applying.print("created", info.object ?? object);
}

async function patched(
  applying: Applying,
  info: ResourceInfo,
  documents: { readonly current: Unstructured; readonly modified: Unstructured },
): ReturnType<typeof patchObject> {
  try {
    return await patchObject(applying, info, documents);
  } catch (error) {
    const { patch, cause } = error instanceof FailedPatch ? error : { patch: {}, cause: error };
    const text = error instanceof FailedPatch ? goJson(patch) : "";
    throw addSource(`applying patch:\n${text}\nto:\n${describe(info)}\nfor:`, info.source, cause);
  }
}

/** An object in a message: its kind and its name. */
function describe({ mapping, name, namespace }: ResourceInfo): string {
  const resource = `${apiVersionSlash(mapping)}, Resource=${mapping.name}`;
  const kind = `${apiVersionSlash(mapping)}, Kind=${mapping.kind}`;
  return `Resource: ${goQuote(resource)}, GroupVersionKind: ${goQuote(kind)}\nName: ${goQuote(name)}, Namespace: ${goQuote(namespace)}`;
}

function apiVersionSlash(mapping: { group: string; version: string }): string {
  return mapping.group === "" ? `/${mapping.version}` : apiVersionOf(mapping);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}
