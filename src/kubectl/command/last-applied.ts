/** Upstream: k8s.io/kubectl/pkg/util/apply.go. */
import { goJson } from "#/machinery/values/go-format.ts";
import { typedForm } from "../base/typed-form.ts";
import type { Unstructured } from "../base/unstructured.ts";
import { sortedKeys } from "../printers/json-printer.ts";

/** Where `kubectl apply` keeps what was applied. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** What was applied to an object the last time; undefined if it never was. */
export function originalConfiguration({ metadata }: Unstructured): string | undefined {
  return metadata?.annotations?.[lastAppliedAnnotation];
}

/** An object as it is written into the annotation, without the annotation itself. */
function configurationText(object: Unstructured, typed: boolean): string {
  const { [lastAppliedAnnotation]: _, ...annotations } = object.metadata?.annotations ?? {};
  const bare = { ...object, metadata: { ...object.metadata, annotations } };
  return `${goJson(typed ? typedForm(bare) : sortedKeys(bare))}\n`;
}

/** A copy of an object with itself in the annotation. */
export function withLastApplied(object: Unstructured, typed = false): Unstructured {
  return annotated(object, configurationText(object, typed));
}

function annotated(object: Unstructured, text: string): Unstructured {
  const annotations = { ...object.metadata?.annotations, [lastAppliedAnnotation]: text };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The same for an object that has the annotation already, or if it is to get it. */
export function updateLastApplied(
  object: Unstructured,
  { create, typed = false }: { readonly create: boolean; readonly typed?: boolean },
): Unstructured {
  const isWanted = create || originalConfiguration(object) !== undefined;
  return isWanted ? withLastApplied(object, typed) : object;
}

/** What is kept in the annotation: the object as it is. */
export function annotationPatch(object: Unstructured): {
  readonly text: string;
  readonly patch: object;
} {
  const text = goJson(sortedKeys(object));
  return { text, patch: { metadata: { annotations: { [lastAppliedAnnotation]: text } } } };
}
