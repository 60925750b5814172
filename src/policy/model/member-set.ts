import type { LabelSelector } from "#/api/meta/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { everything, type Selector } from "#/machinery/meta/labels.ts";
import type { MemberSet } from "./policy.ts";

/** The text of a selector, which also identifies the one that selects nothing. */
const textOf = (selector: Selector): string => (selector.selectable ? selector.toString() : "!!");

/** Pods of one namespace. */
export function podsIn(namespace: string, pods: LabelSelector | undefined): MemberSet {
  const selector = compileLabelSelector(pods ?? {});
  return { key: `pods|${namespace}||${textOf(selector)}`, of: "pods", namespace, selector };
}

/** Pods of all namespaces that a selector selects. */
export function podsAcross(
  namespaceSelector: LabelSelector,
  pods: LabelSelector | undefined,
): MemberSet {
  const namespaces = compileLabelSelector(namespaceSelector);
  const selector = compileLabelSelector(pods ?? {});
  const key = `pods||${textOf(namespaces)}|${textOf(selector)}`;
  return { key, of: "pods", namespaces, selector };
}

/** The addresses of Nodes. */
export function nodesBy(nodes: LabelSelector): MemberSet {
  const selector = compileLabelSelector(nodes);
  return { key: `nodes|||${textOf(selector)}`, of: "nodes", namespaces: everything, selector };
}
