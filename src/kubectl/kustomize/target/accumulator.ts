/** Upstream: sigs.k8s.io/kustomize/api/internal/accumulator/resaccumulator.go. */
import { emptyConfig, mergeConfigs, type TransformerConfig } from "../config/transformer-config.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { Var } from "../kustomization/kustomization.ts";
import { sameGvk, sameId } from "../resource/resource-id.ts";
import { ResourceMap } from "../resource/resource-map.ts";
import { isClusterScoped } from "../resource/scope.ts";
import { varText, withGvk } from "./var-text.ts";

/** The objects and vars of a folder so far. */
export class Accumulator {
  readonly map = new ResourceMap();
  config: TransformerConfig = emptyConfig;
  readonly vars = new Map<string, Var>();

  mergeConfig(config: TransformerConfig): void {
    this.config = mergeConfigs(this.config, config);
  }

  /** Adds vars, and records them on the objects that they refer to. */
  mergeVars(vars: readonly Var[]): void {
    for (const each of vars) {
      const { apiVersion: _, ...ref } = withGvk(each).objref ?? {};
      const id = { group: "", version: "", kind: "", name: "", namespace: "", ...ref };
      const isExact = id.namespace !== "" || isClusterScoped(id);
      const matched = this.map.withAnyId((other) =>
        isExact ? sameId(id, other) : id.name === other.name && sameGvk(id, other),
      );
      if (matched.length > 1) {
        throw new KustomizeError(
          `found ${matched.length} resId matches for var ${varText(withGvk(each))} (unable to disambiguate)`,
        );
      }
      matched[0]?.varNames.push(each.name ?? "");
    }
    this.#addVars(vars);
  }

  #addVars(vars: Iterable<Var>): void {
    for (const each of vars) {
      const { name = "" } = each;
      if (this.vars.has(name)) throw new KustomizeError(`var '${name}' already encountered`);
      this.vars.set(name, each);
    }
  }

  merge(other: Accumulator): void {
    this.map.append(other.map.resources);
    this.mergeConfig(other.config);
    this.#addVars(other.vars.values());
  }
}
