import { signal } from "@preact/signals";
import { namespace } from "../base/preferences.ts";
import { kubeconfigContext } from "../base/session.ts";
import { LiveList } from "./live-list.ts";
import { may, whenRightsKnown } from "./permissions.ts";

/** Names of the namespaces, if the user may list them. */
export const namespaceNames = signal<readonly string[] | undefined>(undefined);

/** Follows the namespaces; a user who may not list them begins in the one of the kubeconfig. */
export function followNamespaces(stop: AbortSignal): void {
  void whenRightsKnown(undefined).then(() => {
    if (stop.aborted) return;
    if (may({ verb: "list", group: "", resource: "namespaces" }, undefined)) follow(stop);
    else useOwnNamespace();
  });
}

function useOwnNamespace(): void {
  namespaceNames.value = undefined;
  namespace.value ??= kubeconfigContext.peek()?.namespace ?? "default";
}

function follow(stop: AbortSignal): void {
  const list = new LiveList("/api/v1/namespaces", { signal: stop });
  const ends = [
    list.items.subscribe((items) => {
      if (list.state.peek() === "loading" && items.length === 0) return;
      namespaceNames.value = items.map(({ metadata }) => metadata.name).sort();
    }),
    list.state.subscribe((state) => {
      if (state === "refused") useOwnNamespace();
    }),
  ];
  stop.addEventListener("abort", () => {
    for (const end of ends) end();
  });
}
