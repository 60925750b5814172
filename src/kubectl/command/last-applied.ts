/** Upstream: staging/src/k8s.io/kubectl/pkg/util/apply.go. */
import { goJson } from "#/machinery/values/go-format.ts";
import { typedForm } from "../base/typed-form.ts";
import type { Unstructured } from "../base/unstructured.ts";
import { sortedKeys } from "../printers/json-printer.ts";

/** The annotation in which `kubectl apply` stores the applied configuration. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The configuration of an object that was applied last; undefined if there is none. */
export function originalConfiguration({ metadata }: Unstructured): string | undefined {
  return metadata?.annotations?.[lastAppliedAnnotation];
}

/** An object as stored in the annotation, without the annotation itself. */
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

/** The same, but only if the object has the annotation already, or it is requested. */
export function updateLastApplied(
  object: Unstructured,
  { create, typed = false }: { readonly create: boolean; readonly typed?: boolean },
): Unstructured {
  const isWanted = create || originalConfiguration(object) !== undefined;
  return isWanted ? withLastApplied(object, typed) : object;
}

/** The value of the annotation: the object itself. */
export function annotationPatch(object: Unstructured): {
  readonly text: string;
  readonly patch: object;
} {
  const text = goJson(sortedKeys(object));
  return { text, patch: { metadata: { annotations: { [lastAppliedAnnotation]: text } } } };
}
