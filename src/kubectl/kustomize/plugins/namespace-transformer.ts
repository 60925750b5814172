/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/NamespaceTransformer.go. */

import { goQuote } from "#/std/go/go-quote.ts";
import type { FieldSpec } from "../config/field-spec.ts";
import { KustomizeError, within } from "../failure/kustomize-error.ts";
import { type SubjectMode, setNamespace } from "../filters/set-namespace.ts";
import { fieldSpecs, objectMetaShape, text } from "../kustomization/shapes.ts";
import { helmGenerated } from "../resource/build-annotations.ts";
import { idKey } from "../resource/resource-id.ts";
import type { ResourceMap } from "../resource/resource-map.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

interface NamespaceConfig {
  readonly metadata?: { readonly namespace?: string };
  readonly fieldSpecs?: readonly FieldSpec[];
  readonly unsetOnly?: boolean;
  readonly setRoleBindingSubjects?: string;
}

const modes: readonly string[] = ["defaultOnly", "none", "allServiceAccounts"];

/** Moves all objects to a namespace. */
export const namespaceTransformer: Plugin = {
  kind: "NamespaceTransformer",
  configure(config) {
    const decoded = decode(config);
    const { fieldSpecs: specs = [], unsetOnly = false } = decoded;
    const mode = decoded.setRoleBindingSubjects || "defaultOnly";
    if (!modes.includes(mode)) {
      throw new KustomizeError(
        `invalid value ${goQuote(mode)} for setRoleBindingSubjects: must be one of ${modes
          .map(goQuote)
          .join(", ")
          .replace(/, ([^,]*)$/, " or $1")}`,
      );
    }
    const namespace = decoded.metadata?.namespace ?? "";
    const settings = { namespace, specs, unsetOnly, subjects: mode as SubjectMode };
    return { transform: (map) => (namespace === "" ? undefined : transform(map, settings)) };
  },
};

function decode(config: unknown): NamespaceConfig {
  try {
    return decodeConfig<NamespaceConfig>(config, "NamespaceTransformerPlugin", {
      metadata: objectMetaShape,
      fieldSpecs,
      unsetOnly: { type: "bool" },
      setRoleBindingSubjects: text,
    });
  } catch (error) {
    throw within("unmarshalling NamespaceTransformer config", error);
  }
}

function transform(map: ResourceMap, settings: Parameters<typeof setNamespace>[1]): void {
  const counts = new Map<string, number>();
  const count = (key: string, difference: number): number => {
    const sum = (counts.get(key) ?? 0) + difference;
    counts.set(key, sum);
    return sum;
  };
  for (const { id } of map.resources) count(idKey(id), 1);
  for (const resource of map.resources) {
    // Helm has set the namespace already.
    if (resource.isEmpty || resource.annotations[helmGenerated] === "true") continue;
    count(idKey(resource.id), -1);
    resource.rememberId();
    setNamespace(resource.node, settings);
    const key = idKey(resource.id);
    if (count(key, 1) !== 1) {
      const same = map.resources.filter(({ id }) => idKey(id) === key);
      throw new KustomizeError(
        `namespace transformation produces ID conflict: [${same.map(String).join(" ")}]`,
      );
    }
  }
}
