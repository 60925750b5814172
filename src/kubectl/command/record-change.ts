/** Upstream: k8s.io/cli-runtime/pkg/genericclioptions/record_flags.go. */

import type { Unstructured } from "../base/unstructured.ts";
import type { Context } from "./context.ts";

const changeCauseAnnotation = "kubernetes.io/change-cause";

interface RecordFlags {
  readonly record: boolean;
}

/** An object that says which command has changed it, if --record asks for it. */
export function recordChange(
  object: Unstructured,
  { record }: RecordFlags,
  context: Pick<Context, "changeCause">,
): Unstructured {
  if (!record) return object;
  const { metadata } = object;
  const annotations = { ...metadata?.annotations, [changeCauseAnnotation]: context.changeCause() };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** The merge patch that does the same; undefined if nothing is to be recorded, or it is there already. */
export function recordPatch(
  { metadata }: Unstructured,
  { record }: RecordFlags,
  context: Pick<Context, "changeCause">,
): object | undefined {
  const cause = context.changeCause();
  if (!record || metadata?.annotations?.[changeCauseAnnotation] === cause) return undefined;
  return { metadata: { annotations: { [changeCauseAnnotation]: cause } } };
}
