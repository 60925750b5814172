import { resources } from "#/api/index.ts";
import { readBootstrapPolicy } from "#/apiserver/auth/rbac/bootstrap-policy.ts";

/** Every question of the authorization matrix: may a user with this role do this to that? */

/** Verbs that some role names, and one that none does. */
export const verbs = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "approve",
  "sign",
  "attest",
  "bind",
  "escalate",
  "impersonate",
  "unheard-of",
];

/** The resources of the questions with their subresources, and one that doesn't exist. */
export interface Subject {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Some roles name objects. */
  readonly name: string;
}

/** Every resource and subresource that the server knows, and every object that a role names. */
export function subjects(): Subject[] {
  const found = new Map<string, Subject>();
  const add = (group: string, combined: string, name: string): void => {
    const [resource = "", subresource = ""] = combined.split("/");
    found.set(`${group}/${combined}/${name}`, { group, resource, subresource, name });
  };
  for (const { group, name, subresources } of resources) {
    add(group, name, "");
    for (const subresource of subresources) add(group, `${name}/${subresource.name}`, "");
  }
  const policy = readBootstrapPolicy();
  for (const { rules = [] } of [...policy.clusterroles, ...policy.roles]) {
    for (const { apiGroups = [], resources: named = [], resourceNames = [""] } of rules) {
      for (const group of apiGroups) {
        for (const combined of named) for (const name of resourceNames) add(group, combined, name);
      }
    }
  }
  add("example.com", "widgets", "");
  return [...found.keys()].sort().map((key) => found.get(key) as Subject);
}

/** Answers in order, packed: one bit each. */
export function pack(answers: readonly boolean[]): string {
  const bytes = Buffer.alloc(Math.ceil(answers.length / 8));
  answers.forEach((allowed, index) => {
    if (allowed) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  });
  return bytes.toString("base64").replace(/A+=*$/, "");
}

/** The user that is bound to a cluster role and to nothing else. */
export const userOf = (role: string): string => `matrix:${role}`;
