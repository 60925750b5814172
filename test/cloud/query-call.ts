/** One call of AWS' Query protocol, as it is recorded. */
export interface QueryCall {
  /** "ec2:CreateSecurityGroup", "elb:…", "elbv2:…". */
  readonly call: string;
  readonly params: ParamTree;
}

export type ParamTree = string | readonly ParamTree[] | { readonly [name: string]: ParamTree };

/** The load balancing services share a name; the version of their interface distinguishes them. */
const services: Readonly<Record<string, string>> = {
  "2012-06-01": "elb",
  "2015-12-01": "elbv2",
  "2016-11-15": "ec2",
};

/** Decodes the body of a request. */
export function decodeQuery(body: string): QueryCall {
  const form = new URLSearchParams(body);
  const root: Branch = new Map();
  for (const [name, value] of form) {
    if (name !== "Action" && name !== "Version") insert(root, name.split("."), value);
  }
  const service = services[form.get("Version") ?? ""] ?? form.get("Version") ?? "";
  return { call: `${service}:${form.get("Action")}`, params: toTree(root) };
}

export function isMutating({ call }: QueryCall): boolean {
  return !call.includes(":Describe");
}

/** Whether a call is of an operation, or any change if that is "change". */
export const isOf = (call: QueryCall, operation: string): boolean =>
  operation === "change" ? isMutating(call) : call.call === operation;

type Branch = Map<string, Branch | string>;

function insert(branch: Branch, [name = "", ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    branch.set(name, value);
    return;
  }
  const next = branch.get(name);
  const child: Branch = next instanceof Map ? next : new Map();
  branch.set(name, child);
  insert(child, rest, value);
}

function toTree(branch: Branch | string): ParamTree {
  if (typeof branch === "string") return branch;
  const member = branch.get("member");
  if (branch.size === 1 && member instanceof Map) return toTree(member);
  const entries = [...branch].map(([name, child]) => [name, toTree(child)] as const);
  if (entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name))) {
    return entries.map(([, child]) => child);
  }
  return Object.fromEntries(entries);
}

/** Brings lists into the order of their text: AWS takes them as sets, and upstream sends them in any order. */
export function sortLists(tree: ParamTree): ParamTree {
  if (typeof tree === "string") return tree;
  if (isList(tree)) return tree.map(sortLists).toSorted(byText);
  const entries = Object.entries(tree).map(([name, child]) => [name, sortLists(child)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isList(tree: ParamTree): tree is readonly ParamTree[] {
  return Array.isArray(tree);
}

function byText(a: ParamTree, b: ParamTree): number {
  const [textA, textB] = [JSON.stringify(a), JSON.stringify(b)];
  if (textA === textB) return 0;
  return textA < textB ? -1 : 1;
}
