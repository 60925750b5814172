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

/** The header that authenticates a request; none with `k8ts console`, whose cookie the page cannot read. */
export function authentication(): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
