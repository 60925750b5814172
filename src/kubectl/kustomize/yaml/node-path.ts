/** Upstream: sigs.k8s.io/kustomize/kyaml/yaml/{fns,match}.go, kyaml/utils/pathsplitter.go. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import { emptyNode, requireKind, setField } from "./edit-node.ts";
import { readNode } from "./read-nodes.ts";
import { writeNode } from "./write-node.ts";
import {
  isMissingOrNull,
  mappingNode,
  type NodeKind,
  scalarNode,
  type YamlNode,
} from "./yaml-node.ts";

/** The steps of a path with dots; dots between brackets, or after a backslash, belong to a name. */
export function splitDotted(path: string): string[] {
  const parts = path.split(".");
  if (parts.length > 1 && parts[0] === "") parts.shift();
  const steps: string[] = [];
  for (const part of parts) {
    const last = steps.at(-1);
    if (last?.endsWith("\\")) steps[steps.length - 1] = `${last.slice(0, -1)}.${part}`;
    else steps.push(part);
  }
  return joinBrackets(steps);
}

function joinBrackets(steps: readonly string[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < steps.length; i++) {
    let step = steps[i] ?? "";
    if (step.startsWith("[") && !step.endsWith("]")) {
      while (i < steps.length - 1) {
        step += `.${steps[++i]}`;
        if (step.endsWith("]")) break;
      }
      if (!step.includes("=")) step = step.replace(/^[[\]]+|[[\]]+$/g, "");
    }
    joined.push(step);
  }
  return joined;
}

function isListStep(step: string): boolean {
  return step.startsWith("[") && step.endsWith("]");
}

function isIndex(step: string): boolean {
  return /^\+?\d+$/.test(step);
}

function keyAndValue(step: string): [key: string, value: string] {
  const inner = step.replace(/\]$/, "").replace(/^\[/, "");
  const equals = inner.indexOf("=");
  if (equals >= 0) return [inner.slice(0, equals), inner.slice(equals + 1)];
  throw new KustomizeError(
    "list path element must contain fieldName=fieldValue for element to match",
  );
}

/** The node at a path; undefined if there is none. */
export function lookUp(node: YamlNode, path: readonly string[]): YamlNode | undefined {
  let current: YamlNode | undefined = node;
  for (const step of path.map((each) => each.trim()).filter((each) => each !== "")) {
    if (!current) return undefined;
    current = lookUpStep(current, step);
  }
  return current;
}

function lookUpStep(node: YamlNode, step: string): YamlNode | undefined {
  if (isIndex(step) || step === "-") {
    requireKind(node, "sequence");
    return step === "-" ? node.items.at(-1) : node.items[Number(step)];
  }
  if (/^-\d+$/.test(step)) {
    throw new KustomizeError(`array index ${Number(step)} cannot be negative`);
  }
  if (step === "*") throw new KustomizeError("wildcard is not supported in PathGetter");
  if (isListStep(step)) {
    const [key, value] = keyAndValue(step);
    requireKind(node, "sequence");
    if (key === "") return node.items.find((item) => item.value === value);
    return node.items.find((item) => item.field(key)?.value === value);
  }
  if (node.isNull) return undefined;
  requireKind(node, "mapping");
  return node.field(step);
}

/** The kind of node to create for a step: the next step decides whether it is a list. */
function kindForNext(next: string | undefined, last: NodeKind): NodeKind {
  if (next === undefined || next === "") return last;
  return isListStep(next) || isIndex(next) ? "sequence" : "mapping";
}

/** Every node that matches a path with patterns; `create` creates missing nodes. */
export function findAll(
  node: YamlNode,
  path: readonly string[],
  create: NodeKind | undefined,
): YamlNode[] | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return [node];
  if (isIndex(step)) return findIndex(node, Number(step), step, rest, create);
  if (isListStep(step)) return findItems(node, step, rest, create);
  if (step === "*") {
    return found(items(node).flatMap((item) => findAll(item, rest, create) ?? []));
  }
  return findField(node, step, rest, create);
}

function found(nodes: YamlNode[]): YamlNode[] | undefined {
  return nodes.length === 0 ? undefined : nodes;
}

function items(node: YamlNode): YamlNode[] {
  requireKind(node, "sequence");
  return node.isNull ? [] : node.items;
}

function findField(
  node: YamlNode,
  step: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): YamlNode[] | undefined {
  if (!isMissingOrNull(node)) requireKind(node, "mapping");
  let field = node.isNull ? undefined : node.field(step);
  if (!field) {
    if (create === undefined) return undefined;
    field = emptyNode(kindForNext(rest[0], create));
    setField(node, step, field);
  }
  if (field.kind !== "scalar" || rest.length === 0) return findAll(field, rest, create);
  const inner = readNode(field.value);
  return inner && findAll(inner, rest, create);
}

function findIndex(
  node: YamlNode,
  index: number,
  step: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): YamlNode[] | undefined {
  const list = items(node);
  if (list.length === index && create !== undefined) {
    if (node.kind !== "sequence") {
      throw new KustomizeError(`failed to append element for "${step}"`);
    }
    node.items.push(emptyNode(kindForNext(rest[0], create)));
  }
  const item = node.items[index];
  if (item) return findAll(item, rest, create);
  throw new KustomizeError(`index ${index} specified but only ${list.length} elements found`);
}

function findItems(
  node: YamlNode,
  step: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): YamlNode[] | undefined {
  const [key, pattern] = keyAndValue(step);
  const isMatch = compile(pattern);
  const matching = items(node).filter((item) => {
    const value = key === "" ? item : item.field(key);
    return value !== undefined && isMatch(writeNode(value).trim());
  });
  const all = key === "" ? matching : matching.flatMap((item) => findAll(item, rest, create) ?? []);
  if (all.length > 0 || create === undefined) return found(all);
  const made = key === "" ? scalarNode(pattern) : mappingNode();
  if (key !== "") setField(made, key, scalarNode(pattern));
  node.items.push(made);
  const again = key === "" ? [made] : findAll(made, rest, create);
  return again && found(again);
}

function compile(pattern: string): (text: string) => boolean {
  try {
    const regex = new RegExp(pattern, "u");
    return (text) => regex.test(text);
  } catch (error) {
    throw new KustomizeError(`error parsing regexp: \`${pattern}\``, { cause: error });
  }
}
