/** Upstream: staging/src/k8s.io/cli-runtime/pkg/genericclioptions/record_flags.go. */

import type { Unstructured } from "../base/unstructured.ts";
import type { Context } from "./context.ts";

const changeCauseAnnotation = "kubernetes.io/change-cause";

interface RecordFlags {
  readonly record: boolean;
}

/** An object with the command recorded in an annotation, if --record is given. */
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

/** The equivalent merge patch; undefined if nothing is to be recorded, or the annotation is the same. */
export function recordPatch(
  { metadata }: Unstructured,
  { record }: RecordFlags,
  context: Pick<Context, "changeCause">,
): object | undefined {
  const cause = context.changeCause();
  if (!record || metadata?.annotations?.[changeCauseAnnotation] === cause) return undefined;
  return { metadata: { annotations: { [changeCauseAnnotation]: cause } } };
}
