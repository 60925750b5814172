/** Upstream: sigs.k8s.io/kustomize/api/internal/accumulator. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import { expandVars, type VarValue } from "../filters/expand-vars.ts";
import type { Var } from "../kustomization/kustomization.ts";
import { lookUp, splitDotted } from "../yaml/node-path.ts";
import { tags, type YamlNode } from "../yaml/yaml-node.ts";
import type { Accumulator } from "./accumulator.ts";
import { varText, withGvk } from "./var-text.ts";

/** Replaces references by the values of vars; returns the names of unused vars. */
export function resolveVars({ map, vars, config }: Accumulator): string[] {
  if (vars.size === 0) return [];
  const values = new Map<string, VarValue>();
  const names = [...vars.keys()].sort();
  for (const name of names) {
    const value = findValue(map.resources, vars.get(name) ?? {});
    if (typeof value !== "object") values.set(name, value);
  }
  const used = expandVars(map.resources, values, config.varReference);
  return names.filter((name) => !used.has(name));
}

function findValue(resources: Accumulator["map"]["resources"], given: Var): VarValue | YamlNode {
  const fieldPath = given.fieldref?.fieldPath || "metadata.name";
  const shown = varText({ ...withGvk(given), fieldref: { fieldPath } });
  const resource = resources.find(({ varNames }) => varNames.includes(given.name ?? ""));
  if (!resource) {
    throw new KustomizeError(
      `var '${shown}' cannot be mapped to a field in the set of known resources`,
    );
  }
  let node: YamlNode | undefined;
  try {
    node = lookUp(resource.node, indexSteps(splitDotted(fieldPath)));
  } catch {
    node = undefined;
  }
  if (node) return node.kind === "scalar" ? scalarOf(node) : node;
  throw new KustomizeError(`field specified in var '${shown}' not found in corresponding resource`);
}

/** `ports[0]` is a step to the list and a step to its item. */
function indexSteps(steps: readonly string[]): string[] {
  return steps.flatMap((step) => {
    const [, name = "", index] = /^(.*)\[(\d+)\]$/.exec(step) ?? [];
    if (index === undefined) return [step];
    return name === "" ? [index] : [name, index];
  });
}

function scalarOf({ tag, value }: YamlNode): VarValue {
  if (tag === tags.integer || tag === tags.float) return Number(value);
  return tag === tags.boolean ? /^true$/i.test(value) : value;
}
