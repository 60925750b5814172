import { signal } from "@preact/signals";

/** How the page reaches the API: the server itself serves it, or `k8ts console` does and adds the credentials. */
type Access = "server" | "proxy";

/** The user as the API server knows it. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** What the kubeconfig of `k8ts console` selects. */
export interface KubeconfigContext {
  readonly context: string;
  readonly namespace: string;
}

export const access = signal<Access>("server");
export const user = signal<User | undefined>(undefined);
export const kubeconfigContext = signal<KubeconfigContext | undefined>(undefined);

/** Why the last login at a provider failed; undefined if none did. */
export const loginFailure = signal<string | undefined>(undefined);

/** Whether requests have reached the server lately. */
export const isConnected = signal(true);

/**
 * The bearer token that the user entered. Invariant: it is in this variable and in no other place, so that it is gone with
 * the page.
 */
let token: string | undefined;

export function setToken(given: string | undefined): void {
  token = given;
}

/** Another user, with whose rights the page shows the cluster. */
interface ViewedUser {
  readonly name: string;
  readonly group: string;
}

/** Whose view is shown; undefined for the user's own. */
export const viewedAs = signal<ViewedUser | undefined>(undefined);

/** Headers that ask for the rights of another user. Upstream: pkg/endpoints/filters/impersonation. */
export function impersonation(): Record<string, string> {
  const { name, group } = viewedAs.peek() ?? {};
  return {
    ...(name ? { "impersonate-user": name } : {}),
    ...(group ? { "impersonate-group": group } : {}),
  };
}

/** Headers that say who sends a request; no token with `k8ts console`, whose cookie the page cannot read. */
export function authentication(): Record<string, string> {
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...impersonation(),
  };
}
