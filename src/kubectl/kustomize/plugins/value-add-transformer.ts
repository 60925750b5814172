/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/ValueAddTransformer.go, api/filters/valueadd. */
import { basename } from "node:path";
import { splitPath } from "../config/field-spec.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import { setNamespace } from "../filters/set-namespace.ts";
import type { Selector } from "../kustomization/kustomization.ts";
import { readYamlValue } from "../kustomization/read-yaml-value.ts";
import { list, selectorShape, struct, text } from "../kustomization/shapes.ts";
import { selectResources } from "../resource/select.ts";
import { emptyNode, requireKind, setField, setScalar } from "../yaml/edit-node.ts";
import { scalarNode, type YamlNode } from "../yaml/yaml-node.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

interface ValueTarget {
  readonly selector?: Selector;
  readonly fieldPath?: string;
  readonly filePathPosition?: number;
}

interface ValueConfig {
  readonly value?: string;
  readonly targets?: readonly ValueTarget[];
  readonly targetFilePath?: string;
}

const targets = list(
  struct("Target", {
    selector: selectorShape,
    fieldPath: text,
    filePathPosition: { type: "int" },
  }),
);

/** Sets fields to a value, or inserts it into existing paths. */
export const valueAddTransformer: Plugin = {
  kind: "ValueAddTransformer",
  configure(config, { loader }) {
    const name = "ValueAddTransformerPlugin";
    const fields = { value: text, targets, targetFilePath: text };
    const decoded = decodeConfig<ValueConfig>(config, name, fields);
    const value = (decoded.value ?? "").trim() || basename(loader.root);
    const all = [...(decoded.targets ?? [])];
    if (decoded.targetFilePath) {
      const content = readYamlValue(loader.load(decoded.targetFilePath));
      all.push(...(decodeConfig<ValueConfig>(content, name, { targets }).targets ?? []));
    }
    checkTargets(all);
    return {
      transform(map) {
        for (const target of all) {
          const { selector } = target;
          const chosen = selector ? selectResources(map.resources, selector) : map.resources;
          for (const { node } of chosen) addValue(node, value, target);
        }
      },
    };
  },
};

function checkTargets(all: readonly ValueTarget[]): void {
  if (all.length === 0) throw new KustomizeError("must specify at least one target");
  for (const { fieldPath = "", filePathPosition = 0 } of all) {
    if (fieldPath === "") throw new KustomizeError("fieldPath cannot be empty");
    if (filePathPosition < 0) {
      throw new KustomizeError(
        `value of FilePathPosition (${filePathPosition}) cannot be negative`,
      );
    }
  }
}

function addValue(node: YamlNode, value: string, target: ValueTarget): void {
  const { fieldPath = "", filePathPosition = 0 } = target;
  if (fieldPath === "metadata/namespace") {
    setNamespace(node, { namespace: value, specs: [], unsetOnly: false, subjects: "defaultOnly" });
    return;
  }
  const field = fieldAt(node, splitPath(fieldPath));
  requireKind(field, "scalar");
  const next = filePathPosition > 0 ? insertPart(field.value, filePathPosition - 1, value) : value;
  setScalar(field, scalarNode(next));
}

function fieldAt(node: YamlNode, path: readonly string[]): YamlNode {
  let current = node;
  for (const [index, step] of path.entries()) {
    requireKind(current, "mapping");
    const isLast = index === path.length - 1;
    if (!current.field(step)) setField(current, step, emptyNode(isLast ? "scalar" : "mapping"));
    current = current.field(step) ?? current;
  }
  return current;
}

/** Inserts a part into a path; index 0 is the first one, in absolute paths too. */
function insertPart(path: string, position: number, part: string): string {
  const parts = path === "" ? [] : path.split("/");
  let index = Math.min(position, parts.length);
  if (parts[0] === "" && index < parts.length) index++;
  return parts.toSpliced(index, 0, part).join("/");
}
