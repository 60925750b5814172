import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionSpec,
  customResourceDefinitions,
} from "#/api/apiextensions/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import type { AnyObject } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { names, oneLine } from "../../base/text.ts";
import type { View } from "../../base/view.ts";
import { conditionLine } from "../../facts/conditions.ts";
import { finalizerOwner } from "../../facts/finalizers.ts";

export const crdInstances = cause<CustomResourceDefinition>({
  name: "custom-resources-remain",
  layer: "deletion",
  group: "deletion",
  of: [customResourceDefinitions],
  find({ metadata, spec, status }, view) {
    if (!metadata.deletionTimestamp) return undefined;
    const kept = instances(spec, view).find(
      ({ metadata: { finalizers = [] } }) => finalizers.length,
    );
    const condition = findCondition(status?.conditions, "Terminating");
    const said = condition?.message ? `: ${oneLine(condition.message, 160)}` : "";
    if (kept) {
      const { name, namespace, finalizers = [] } = kept.metadata;
      const at = namespace ? `-n ${namespace} ` : "";
      return {
        sentence: `it is being deleted, and waits for its ${spec.names.kind} ${namespace ? `${namespace}/` : ""}${name}, which waits for its finalizer ${names(finalizers)}: ${finalizerOwner(finalizers[0] ?? "")} must remove it`,
        since: metadata.deletionTimestamp,
        evidence: condition ? [conditionLine(condition, view.nowMs)] : [],
        fix: [
          "# find out whether that program runs; only if it is gone for good, and knowing that it cleans up nothing then:",
          `kubectl ${at}patch ${metadata.name} ${name} --type=merge -p '{"metadata":{"finalizers":null}}'`,
        ],
      };
    }
    return {
      sentence: `it is being deleted, and waits until all its ${spec.names.plural} are gone, some of which probably have finalizers${said}`,
      since: metadata.deletionTimestamp,
      evidence: condition ? [conditionLine(condition, view.nowMs)] : [],
      fix: [
        `kubectl get ${metadata.name} -A -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,FINALIZERS:.metadata.finalizers`,
      ],
    };
  },
});

/** The objects of a resource that its definition describes. */
function instances(
  { group, names: { kind, plural, singular = "" }, scope, versions }: CustomResourceDefinitionSpec,
  view: View,
): readonly AnyObject[] {
  const version = versions?.find(({ served }) => served)?.name;
  if (version === undefined) return [];
  const resource: Resource<AnyObject> = {
    group,
    version,
    kind,
    name: plural,
    singular,
    namespaced: scope === "Namespaced",
    shortNames: [],
    categories: [],
    verbs: [],
    subresources: [],
  };
  return view.list(resource) ?? [];
}
